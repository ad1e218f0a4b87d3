"""The names that files of likes and plays give to their columns, and the words that say what was done."""

from __future__ import annotations

from data.catalog.importers.columns import TRACK_COLUMNS, Columns
from data.users.schema import EventKind

EVENTS = Columns(
    {
        "track_id": f"{TRACK_COLUMNS['track_id']} spotify_track_uri",
        "title": f"{TRACK_COLUMNS['title']} trackname master_metadata_track_name",
        "artists": f"{TRACK_COLUMNS['artists']} artistname master_metadata_album_artist_name",
        "kind": "kind event event_type action feedback",
        "liked": "liked loved is_liked favorite favourite hearted",
        "liked_at": "liked_at added_at loved_at saved_at",
        "played_at": "played_at listened_at ts endtime uts",
        "at": "at timestamp time date datetime",
        "count": "count plays play_count playcount times_played",
        "request": "request query user_query",
        "session": "session session_id",
    }
)

_WORDS: dict[EventKind, str] = {
    "like": "like liked love loved favorite favourite favorited favourited saved save heart hearted up thumbs_up 1",
    "dislike": "dislike disliked hate hated ban banned down thumbs_down _1",
    "play": "play played listen listened scrobble scrobbled stream streamed",
}
KIND_OF = {word: kind for kind, line in _WORDS.items() for word in line.split()}
"""What was done, by the word for it as `column_form` writes it ("-1" is "_1")."""
