from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.vocab.loader import facet_phrases, load_vocabularies
from program.index import concepts
from program.index.concepts import Concepts, nearest_concepts
from program.index.embedder import packaged_embedder
from program.index.multilingual import multilingual_embedder
from program.lm.environment import user_cache

# Scenes in eleven languages with the moods and activities that suit them, written before the model was asked.
SCENES = (
    ("zh", "加班到半夜一个人坐地铁回家", "lonely night sad melancholic"),
    ("zh", "刚拿到录取通知书", "happy uplifting hopeful"),
    ("zh", "窗外下着大雨我在煮咖啡", "rainy-day coffee cooking"),
    ("zh", "健身房最后一组卧推", "workout energetic"),
    ("zh", "奶奶家的老收音机", "nostalgic warm"),
    ("zh", "末日电影的片头", "epic dark tense"),
    ("es", "limpiando la casa un sábado con las ventanas abiertas", "energetic happy morning"),
    ("es", "la noche después de romper con mi novia", "heartbroken breakup sad night"),
    ("es", "siesta en una hamaca junto al mar", "relax beach calm sleep summer"),
    ("es", "persecución de coches en una película", "tense energetic driving"),
    ("es", "me acaban de ascender en el trabajo", "happy uplifting"),
    ("de", "allein im Nachtzug nach Wien", "night travel lonely melancholic"),
    ("de", "Grillabend mit Freunden im Garten", "party summer happy dinner"),
    ("de", "wenn man vor Wut gegen die Wand treten will", "angry energetic rebellious"),
    ("de", "Kaminfeuer und Rotwein zu zweit", "romantic warm dinner"),
    ("de", "die letzten Kilometer beim Marathon", "running energetic uplifting"),
    ("fr", "se réveiller doucement un dimanche sous la couette", "morning calm relax"),
    ("fr", "un enterrement sous la pluie", "sad rainy-day melancholic dark"),
    ("fr", "danser toute la nuit en boîte", "dance party night"),
    ("fr", "réviser mes partiels sans stress", "study focus calm"),
    ("fr", "premier baiser au bord de la Seine", "romantic"),
    ("ja", "失恋して海を見ている", "heartbroken sad beach breakup lonely"),
    ("ja", "徹夜でプログラミング", "focus night study"),
    ("ja", "子供を寝かしつける", "sleep kids calm"),
    ("ja", "友達とドライブで海へ", "driving beach road-trip summer"),
    ("ja", "試験に合格した日", "happy uplifting"),
    ("ko", "첫눈 오는 날 혼자 걷기", "winter walking lonely"),
    ("ko", "시험 끝나고 소리 지르고 싶다", "energetic happy rebellious party"),
    ("ko", "할머니 생각나는 밤", "nostalgic night"),
    ("ko", "결혼식 입장할 때", "wedding romantic"),
    ("pt", "churrasco com a família no domingo", "happy party summer dinner"),
    ("pt", "chorando no chuveiro", "sad heartbroken"),
    ("pt", "viagem de ônibus pelo interior olhando pela janela", "travel melancholic road-trip calm"),
    ("pt", "meditar antes de dormir", "meditation sleep calm relax"),
    ("it", "passeggiata in centro di notte d'inverno", "walking night winter"),
    ("it", "festa di laurea", "party happy"),
    ("it", "quando tutto va storto e ridi lo stesso", "bittersweet uplifting playful hopeful"),
    ("it", "cucinare il ragù per gli amici", "cooking dinner warm"),
    ("nl", "op de fiets door de regen naar school", "rainy-day morning"),
    ("nl", "kerstavond bij opa en oma", "christmas warm nostalgic"),
    ("ru", "сижу один на кухне в три часа ночи", "lonely night sad"),
    ("ru", "едем с друзьями на море", "travel beach summer road-trip driving happy"),
    ("ru", "перед экзаменом надо сосредоточиться", "focus study"),
    ("tr", "sevgilim beni terk etti", "heartbroken breakup sad"),
    ("tr", "sabah koşusu", "running morning"),
    ("tr", "balkonda çay içerken gün batımı", "calm relax coffee romantic summer"),
    ("pl", "spacer po lesie jesienią", "walking autumn calm melancholic"),
    ("pl", "impreza do białego rana", "party dance night"),
)


def _found(locale: str, text: str) -> set[str]:
    return {concept.concept_id for concept in nearest_concepts(locale).near(text, 2)}


def test_scenes_in_other_languages() -> None:
    """Most scenes come near to a mood or activity that suits them; by the English model few do."""
    right = [not _found(locale, text).isdisjoint(suits.split()) for locale, text, suits in SCENES]
    labels = {name: load_vocabularies()[f].label(name) for f in concepts.FACETS for name in load_vocabularies()[f].concepts}
    english = packaged_embedder()
    vectors = english.embed(list(labels.values()))
    places = [np.argsort(-(vectors @ english.embed([text])[0]))[:2] for _, text, _ in SCENES]
    by_english = [
        not {list(labels)[place] for place in best}.isdisjoint(suits.split())
        for best, (_, _, suits) in zip(places, SCENES, strict=True)
    ]

    assert np.mean(right) >= 0.6
    assert np.mean(right) >= np.mean(by_english) + 0.3


def test_the_nearest_phrase_counts() -> None:
    """A concept is as near as its nearest phrase; likeness is a cosine, and the nearest comes first."""
    phrases = [("mood", "sad", "a"), ("mood", "sad", "b"), ("activity", "party", "c")]
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)

    class Up:
        def embed(self, texts: list[str]) -> np.ndarray:
            return np.array([[0, 1]] * len(texts), dtype=np.float32)

    near = Concepts(phrases, vectors, Up()).near("x", 5)

    assert [(one.facet, one.concept_id, one.likeness) for one in near] == [("mood", "sad", 1.0), ("activity", "party", 0.8)]
    assert near[1].label == "Party"


def test_vectors_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are made once, made again where the file is damaged, and where no file can be written all the same."""
    made: list[int] = []

    class Counting:
        def embed(self, texts: list[str]) -> np.ndarray:
            made.append(len(texts))
            return multilingual_embedder().embed(texts)

    folder = user_cache() / "phrases"
    before = set(folder.glob("*.npy"))
    first, again = concepts._vectors(["una", "due"], Counting()), concepts._vectors(["una", "due"], Counting())
    [kept] = set(folder.glob("*.npy")) - before
    kept.write_bytes(b"no array")
    mended = concepts._vectors(["una", "due"], Counting())
    monkeypatch.setattr(concepts, "user_cache", lambda: Path("/dev/null"))
    without = concepts._vectors(["una", "due"], Counting())

    assert made == [2, 2, 2]
    assert np.array_equal(first, again)
    assert np.array_equal(first, mended)
    assert np.array_equal(first, without)


def test_phrases_of_a_language() -> None:
    """A language adds its own words to the English and Chinese ones."""
    plain, korean = facet_phrases("mood"), facet_phrases("mood", "ko")

    assert set(plain) < set(korean)
    assert ("calm", "잔잔한") in set(korean) - set(plain)
