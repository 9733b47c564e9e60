"""English: what one declines to do, and what sounds like it and is something else."""

from __future__ import annotations

from typing import Final

__all__ = ["ACT", "DEED", "DOING", "EXACTLY", "INFORMATION", "SERVICE", "UTTER", "VAGUE"]

INFORMATION: Final = (
    "that|this|such|any|content|instructions|information|advice|material|guidance|details|anything",
    "personal|specific|medical|legal|financial|sexual|explicit|private|these|those|assistance|help",
)

EXACTLY: Final = (
    "exact|exactly|definitive|definite|precise|guarantee|guarantees|exhaustive|comprehensive",
    "accurate|certain|simple|single|short|straight|universal|better",
)

VAGUE: Final = (
    "[you|much] [with] [a|an|any|the] [more] {exactly}",
    "[you] [with] enough|much|more|better|certainty|everything|justice|assurances",
)
"""Nobody is turned down by "I can't give an exact number" or "I can't give you enough"."""

ACT: Final = (
    "help|helping !but|it|myself|themselves|*ing|feeling|out|who",
    "help|helping out $|with",
    "assist*",
    "aid|aiding [you|anyone] [with|in]",
    "provid* !{vague}",
    "offer|offering {information}|you|a|an|the|support",
    "supply|supplying {information}|you|the",
    "comply|complying",
    "fulfil*",
    "accommodat*",
    "honor|honour|grant|entertain|satisfy|approve|accept this|that|your|the|such",
    "facilitat*",
    "answer|answering $|that|this|your|those|these|any|questions|such|it !{vague}",
    "respond|responding to|$",
    "do|doing this|that|so|such !anymore|justice|alone|again",
    "do|doing the|your ..2 assignment|homework|task|work|essay|exam",
    "generat*",
    "creat* !{vague}",
    "writ* !well|neatly|legibly|fast|enough|by|without|down !{vague}",
    "produc* {information}|a|an|the|it !{vague}",
    "give|giving {information}|out|a|the !break|credit|hug",
    "give|giving you|anyone {information}|a|an|the|steps !{vague}",
    "give|giving [you|anyone] ..2 advice|instructions|guidance|information|directions !enough",
    "share|sharing !your|in|{vague}",
    "share|sharing your personal|private|address|data",
    "explain|describe|outline|detail that|this|such|the|further|methods|ways !feeling|joy|beauty",
    "explain|describe|outline|detail how to",
    "explaining|describing|outlining|detailing how|that|this|such|the|methods|ways",
    "elaborate|elaborating on|$",
    "tell|telling|show|showing|teach|teaching you|anyone [exactly|precisely|specifically] how to",
    "tell|telling|show|showing|teach|teaching you|anyone that|this $",
    "teach|teaching {information}|anyone|people",
    "walk|walking you|anyone through",
    "guid*|instruct* you|anyone|people|on",
    "advise|advising you|anyone|on !enough",
    "discuss|discussing",
    "talk|talking|speculate|comment about|on|to",
    "support|supporting|encourage|encouraging|promote|promoting|condone|condoning",
    "endorse|endorsing",
    "engage|engaging|participate|participating|partake|collaborate in|with|on",
    "take|taking part",
    "contribute|contributing|cater to",
    "be used|complicit|involved|party",
    "be [a|any] part|party of|to|in",
    "be of [any] [further|much] help|assistance|service",
    "be a|any help",
    "be {hardly}* helping|assisting|providing|sharing|answering|doing|writing|taking|discussing",
    "be {hardly}* supporting|giving|creating|generating|explaining|participating|walking|going",
    "continue|continuing|proceed|proceeding with|this|that|the|down|on|along|$ !without",
    "go|going into|along|through|there|down that|with|this|$|those",
    "get|getting into|involved",
    "make|making that|this|such|jokes|fun|light",
    "complete|completing|process|processing|perform|execute|carry|carrying this|that|your|out",
    "enable|permit you to",
    "allow|let you",
    "role|roleplay|pretend|impersonate|translate|summarize|summarise that|this|as|play|such|to|the",
    "quote|reproduce|reproducing|recite|copy that|this|the|any|a|song",
    "reveal|disclose|divulge|revealing|disclosing|divulging !how",
    "develop|design|build|craft|draft|compose|plan|devise|invent this|that|such|a|an|any|the",
    "use such|that|offensive|slurs",
)

SERVICE: Final = (
    "provid*|assist*|facilitat*|condone|comply|participate",
    "help with|people|anyone|plan",
    "engage in",
    "generate|produce|create|write|share|discuss|give|offer {information}|out|explicit|sexual",
    "support|promote|encourage that|this|such|any|violence|the",
    "generate|produce|create|write|share|give|offer ..3 content|material|instructions|details",
)
"""What "I do not …" turns down: in other words it tells of a habit."""

DEED: Final = (
    "help|helping [you|out|anyone] with|$",
    "assist*",
    "comply|complying",
    "provid*|share|discuss|generate|create|write {information}",
    "answer|answering that|this|your",
    "fulfil* that|this|your|the",
    "do|doing that|this",
    "engage|participate|continue in|with",
    "support|condone|promote|encourage {information}",
)
"""What turns down even where nobody says "I"."""

UTTER: Final = (
    "discuss|provid*|promot*|encourag*|speculate|condone",
    "discuss|suggest|encourage|share|offer|give ..2 {information}|ways|methods|tips|suggestions",
    "ask|asking for|about|such|questions|how|why|a|this|that",
    "engage in",
    "make ..3 assumptions|generalizations|generalisations|stereotypes",
)
"""What it "is not appropriate to" say, where the other forms of it are advice on manners."""

DOING: Final = (
    "helping|assisting [you|anyone] [with|in] !but",
    "doing|answering|writing|sharing|giving|explaining|discussing|creating that|this|it|your|those",
    "providing|generating|complying",
    "giving|telling|showing|teaching you",
    "walking you through",
    "playing along",
)
"""What "I'm not …" turns down."""
