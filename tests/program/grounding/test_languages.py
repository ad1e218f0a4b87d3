"""Requests in the languages of `data/vocab/facet_words`, as people type them, read against the demo catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from data.catalog.demo_files import demo_path
from data.catalog.importers.base import read_catalog
from data.catalog.importers.rejects import Rejects
from program.grounding.readings import understand_by_code
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.program.grounding.conftest import condition
from tests.tiny import TinyEmbedder

Meaning = Callable[[str], str]


@pytest.fixture(scope="module")
def meaning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Meaning]:
    """Names with their roles, conditions and absent names of a request, in one line."""
    path = tmp_path_factory.mktemp("languages") / "index"
    build_index(read_catalog(demo_path(), rejects=Rejects()), path, embedder=TinyEmbedder())
    index = EmbeddedIndex(path, embedder=TinyEmbedder())

    def told(request: str) -> str:
        intent = understand_by_code(request, index, Settings()).best.intent
        names = [f"{entity.role}:{entity.entity_id}" for entity in intent.entities]
        conditions = [condition(item).removesuffix("*") for item in intent.constraints]
        return ", ".join([*names, *conditions, *(f"absent:{name}" for name in intent.absent)])

    yield told
    index.close()


READ = [
    # ja
    ("80年代のシティポップ流して", "era=1980s, genre=city-pop"),
    ("YOASOBIみたいな曲ない？", "seed:yoasobi"),
    ("宇多田ヒカルのFirst Love", "target:hikaru-utada--first-love, context:hikaru-utada"),
    ("メタル以外で激しいやつ", "genre!=metal, mood=energetic"),
    ("あいみょん以外の女性シンガーソングライター", "exclude:aimyon, vocal=female, genre=singer-songwriter"),
    ("暗くない明るめのJポップ", "mood!=dark, mood=happy, genre=j-pop"),
    ("ハウスかテクノ、インストで", "genre=house, genre=techno, vocal=instrumental"),
    ("ドイツのテクノ、ボーカル抜きで", "region=DE, genre=techno, vocal=instrumental"),
    ("マイナーなポストロック教えて", "popularity=niche, genre=post-rock"),
    ("失恋したから泣ける曲お願い", "activity=breakup, mood=sad"),
    ("ロック、でもメタルは嫌", "genre=rock, genre!=metal"),
    ("ジャズの曲以外でロック", "genre!=jazz, genre=rock"),
    ("1985年までのロック", "era~|1985, genre=rock"),
    ("テンポ遅めのトリップホップ", "tempo=slow, genre=trip-hop"),
    # ko
    ("비 오는 날 듣기 좋은 재즈", "activity=rainy-day, genre=jazz"),
    ("아이유 같은 노래 추천해줘", "seed:iu"),
    ("가사 없는 피아노곡", "vocal=instrumental, instrument=piano"),
    ("방탄소년단 말고 다른 케이팝", "exclude:bts, genre=k-pop"),
    ("슬프지 않은 발라드", "mood!=sad, genre=ballad"),
    ("메탈 말고 느린 블루스", "genre!=metal, tempo=slow, genre=blues"),
    ("재즈말고 록음악", "genre!=jazz, genre=rock"),
    ("70년대 소울, 남자 가수만", "era=1970s, genre=soul, vocal=male"),
    ("뉴진스 Hype Boy", "target:newjeans--hype-boy, context:newjeans"),
    ("영어로 된 포크송", "language=en, genre=folk"),
    ("안 유명한 인디밴드 노래", "popularity=niche, genre=indie"),
    ("전자음악인데 너무 빠르지 않은", "genre=electronic, tempo!=fast"),
    ("1985년 이전 록", "era~|1984, genre=rock"),
    ("여자 가수 말고 발라드", "vocal!=female, genre=ballad"),
    # tr
    ("90'lar türkçe pop aç", "era=1990s, genre=turkish-pop"),
    ("sezen aksu benzeri şarkılar", "seed:sezen-aksu"),
    ("tarkan olmasın ama türkçe pop olsun", "exclude:tarkan, genre=turkish-pop"),
    ("sözsüz müzik, ders çalışırken", "vocal=instrumental, activity=study"),
    ("seksenlerden new wave", "era=1980s, genre=new-wave"),
    ("koşu için hızlı tekno", "activity=running, tempo=fast, genre=techno"),
    ("barış manço hariç anadolu rock", "exclude:baris-manco, genre=anatolian-rock"),
    ("yağmurlu havada dinlenecek sakin şarkılar", "activity=rainy-day, mood=calm"),
    ("rap istemiyorum, rock çal", "genre!=hip-hop, genre=rock"),
    ("erkek şarkıcı olmasın, soul", "vocal!=male, genre=soul"),
    ("portekizce fado", "language=pt, genre=fado"),
    ("1985'ten önce rock şarkıları", "era~|1984, genre=rock"),
    ("kemanlı hüzünlü müzik", "instrument=violin, mood=sad"),
    # ru
    ("грустная музыка без слов", "mood=sad, vocal=instrumental"),
    ("что-нибудь вроде Кино", "seed:kino"),
    ("песни 80-х, но не диско", "era=1980s, genre!=disco"),
    ("русский рэп нулевых", "region=RU, genre=hip-hop, era=2000s"),
    ("что-то похожее на Radiohead, но поспокойнее", "seed:radiohead, mood=calm"),
    ("Земфира Искала", "target:zemfira--iskala, context:zemfira"),
    ("медленные песни о любви", "tempo=slow, mood=romantic"),
    ("песни на английском, женские голоса", "language=en, vocal=female"),
    ("под дождь что-нибудь меланхоличное", "activity=rainy-day, mood=melancholic"),
    ("не рок, а соул", "genre!=rock, genre=soul"),
    ("малоизвестный пост-панк", "popularity=niche, genre=post-punk"),
    ("хиты восьмидесятых", "popularity=popular, era=1980s"),
    ("рок, ничего после 1985", "genre=rock, era~|1985"),
    ("бодрый хип-хоп для бега", "mood=energetic, genre=hip-hop, activity=running"),
    # pl
    ("smutna muzyka bez słów", "mood=sad, vocal=instrumental"),
    ("coś w stylu Republika", "seed:republika"),
    ("hity lat osiemdziesiątych", "popularity=popular, era=1980s"),
    ("wszystko oprócz metalu", "genre!=metal"),
    ("piosenki po angielsku, damskie głosy", "language=en, vocal=female"),
    ("szybki drum and bass", "tempo=fast, genre=drum-and-bass"),
    # sv
    ("något som liknar Kent", "seed:kent"),
    ("låtar från 90-talet men inte disco", "era=1990s, genre!=disco"),
    ("svensk rap från 2000-talet", "region=SE, genre=hip-hop, era=2000s"),
    ("kvinnlig sång, trip hop", "vocal=female, genre=trip-hop"),
    ("glad musik i bilen", "mood=happy, activity=driving"),
    # nl
    ("deense metal", "region=DK, genre=metal"),
    ("japanse citypop", "region=JP, genre=city-pop"),
    ("cello en piano", "instrument=cello, instrument=piano"),
    ("muziek om te koken, franse chansons", "activity=cooking, region=FR, genre=chanson"),
    # pt
    ("metal norueguês", "genre=metal, region=NO"),
    ("ambient sombrio", "genre=ambient, mood=dark"),
    ("música cubana com trompete", "region=CU, instrument=trumpet"),
    # it
    ("metal norvegese", "genre=metal, region=NO"),
    ("jazz con il sassofono", "genre=jazz, instrument=saxophone"),
    ("canzoni per bambini in inglese", "genre=children, language=en"),
]

MISREAD = [
    ("ney ve ud", "instrument=ney, instrument=oud", "a facet word of two letters is no word of a request"),
    ("1970년대 이전 소울", "era~|1969, genre=soul", "a word for before bounds a year, but no decade"),
    (
        "эстрада, только не Пугачёва",
        "exclude:alla-pugacheva, genre=russian-pop",
        "a surname is looked up in the script of the catalog's own name only",
    ),
    ("inte rock utan soul", "genre!=rock, genre=soul", "utan behind a negation is but, not without"),
    ("geen rap maar soul", "genre!=hip-hop, genre=soul", "a word for but ends no negation"),
    ("körmusik", "genre=choral", "one word alone does not tell the language"),
]


@pytest.mark.parametrize(("request_", "expected"), [pytest.param(*row, id=row[0]) for row in READ])
def test_read(meaning: Meaning, request_: str, expected: str) -> None:
    """Conditions, negations, names and times are read in the words and the order of the request's language."""
    assert meaning(request_) == expected


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        pytest.param(request, expected, id=request, marks=pytest.mark.xfail(strict=True, reason=reason))
        for request, expected, reason in MISREAD
    ],
)
def test_misread(meaning: Meaning, request_: str, expected: str) -> None:
    """What is still read wrong, each for a reason of code."""
    assert meaning(request_) == expected
