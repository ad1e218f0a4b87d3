"""The benchmark's own words: what requests are made of besides the catalog's names and the vocabularies."""

from __future__ import annotations

OPENINGS = (
    "play", "please play", "can you find me", "i want to hear", "put on", "give me", "i am looking for", "queue up",
    "could you play me", "let me hear", "make a playlist with", "add",
)  # fmt: skip

EVERYDAY = """
about after again always around away back because before best better birthday bring bus calm care coffee come cooking
could cousin day dinner down drive early easy evening every family feel few fine first four friend friends full garden
gently girl give glad going good grandma great guess half happen hard have headphones help here holiday home hour house
idea just keep kids kitchen last later leave less light little live long look lot loud lovely make many maybe meeting
minute month more most mother much neighbour never new nice night nothing office often old once only open other our
outside over own party people perhaps phone place plan please pretty quick quiet quite rather ready real really right
room same school seems shower since sister sit sleep slow small some someone something soon speaker stay still street
sure table take talk tell thank thing think three time tired today together tomorrow train trip try two until usual
very wait wake walk want warm watch water weather wedding week weekend well while window with without word work world
would yesterday young
""".split()

SCENES = (
    "watching the rain on the window", "driving through the desert at night", "a slow train in the mountains",
    "cooking with grandma", "walking alone after a long day", "the last night of the holidays",
    "an old film about the sea", "a bar where nobody talks", "opening the windows in spring", "a fight in slow motion",
    "staring at the ceiling", "the credits of a sad film", "a first dance in the kitchen", "snow falling on a city",
    "getting lost in a foreign town", "the morning after a storm",
)  # fmt: skip

NEED_AN_LM = (
    "something that sounds like driving through the desert at night",
    "music for staring at the ceiling after a break-up",
    "I had a terrible day, cheer me up without anything cheesy",
    "songs my dad would have danced to in a disco in Lagos",
    "quiet Nordic music for a morning with snow outside, no singing if possible",
    "what would a pirate radio in Jamaica have played in 1973",
    "mix old soul and new soul so that nobody notices the seam",
    "I want goosebumps, strings, and a voice that breaks",
    "angry women with guitars, but not metal",
    "my grandma loves fado, find me something close to it that is livelier",
    "a playlist that starts calm and ends on the dance floor",
    "that kind of Japanese pop that sounds like a summer evening in Tokyo",
    "weird synthesizer stuff from before I was born, I am from 1984",
    "music for cooking pasta with friends who hate jazz",
    "sad but not slow, dark but not loud",
    "soundtrack for a heist in an art museum",
    "the sound of a smoky bar in Paris when nobody is left",
    "give me protest songs that are not American",
    "something between ambient and folk for falling asleep on a train",
    "hypnotic desert guitars, long tracks, little singing",
    "I need energy for the last kilometre, nothing mainstream",
    "适合下雨天一个人在窗边发呆的歌",
    "想听一点温暖的老歌，不要太吵",
    "bouncy African pop for a road trip with kids, nothing too long",
)  # fmt: skip
"""Requests that words alone do not settle: scenes, moods in the writer's own words, wishes with a turn in them."""
