"""English: what one declines to do, and what sounds like it and is something else."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ACT",
    "BRIEF",
    "CHOSEN",
    "DEED",
    "DOING",
    "EXACTLY",
    "INFORMATION",
    "PRIVATE",
    "SERVICE",
    "TRADE",
    "UTTER",
    "VAGUE",
    "WARES",
    "WILLED",
]

INFORMATION: Final = (
    "that|this|such|any|content|instructions|information|advice|material|guidance|details|anything",
    "personal|specific|medical|legal|financial|sexual|explicit|private|these|those|assistance|help",
    "tips|strategies|tactics|suggestions",
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
    "writ* !to|well|neatly|legibly|fast|enough|by|without|down !{vague}",
    "produc* {information}|a|an|the|it|text|code|images|audio|output !{vague}",
    "give|giving {information}|out|a|the !break|credit|hug",
    "give|giving you|anyone {information}|a|an|the|steps !{vague}|{figure}|hard",
    "diagnose|diagnosing you|your|medical|conditions|or",
    "prescribe|prescribing",
    "give|giving [you|anyone] ..2 advice|instructions|guidance|information|directions !enough",
    "share|sharing !your|in|{vague}",
    "give|giving|offer|offering|share|sharing ..2 opinion|opinions|views|predictions",
    "express|expressing ..2 opinion|opinions|views",
    "share|sharing your personal|private|address",
    "explain|describe|outline|detail that|this|such|the|further|methods|ways !feeling|joy|beauty",
    "explain|describe|outline|detail how to",
    "explaining|describing|outlining|detailing how|that|this|such|the|methods|ways",
    "elaborate|elaborating on|$",
    "tell|telling|show|showing|teach|teaching you|anyone [exactly|precisely|specifically] how to",
    "tell|telling|show|showing|teach|teaching you|anyone that|this $",
    "teach|teaching {information}|anyone|people",
    "walk|walking you|anyone through",
    "tell|telling you who|what|which|whether|where to",
    "tell|telling you which|who ..2 is|are better|best|right",
    "show|showing|share|reveal|print|repeat ..2 system|hidden prompt|instructions|message",
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
    "quote|reproduce|reproducing|recite|copy that|this|the|any|a|song !{defect}",
    "reveal|disclose|divulge|revealing|disclosing|divulging !how",
    "develop|design|build|craft|draft|compose|plan|devise|invent this|that|such|a|an|any|the",
    "use such|that|offensive|slurs",
)

WILLED: Final = (
    "writ* !to|home|off|well|{brief}",
    "creat*|generat*|compos*|draft*|design*|cod*|produc*|fabricat* !{brief}",
    "build*|mak*|synthesi* !up|it|sure|time|excuses|sense|any|promises|assumptions|waves|{brief}",
    "describ*|outlin*|explain*|detail*|spell*|summari*|translat* !feeling|joy|{brief}",
    "tell|telling|teach*|show|showing you|anyone|them|people how|what|which|where|who",
    "instruct*|walk* you|anyone|them|people",
    "giv*|provid*|shar*|suppl*|offer* !up|in|away|your|way|birth|chase|{brief}",
    "list|listing|nam*|identify*|rank*|rat*|compil*|track*|quot*|recit* !all|them|{brief}",
    "recommend* {information}|a|an|any !enough",
    "discuss*|reveal*|disclos* that|this|the|any|your|her|his|their !truth|{brief}",
    "do|doing|repeat*|say|saying it|that|this|those|these|so|such !again|anymore|justice|twice",
    "help* ..1 build|make|write|plan|find|get|hide|hurt|create|design",
    "help* ..1 bypass|break|hack|track|with|cheat",
    "say|saying who|which|whether",
    "tak* sides|part",
    "tak* a side|position|stance",
    "pick|picking|choose|choosing sides|[a] side",
    "play* the|a|an|along|that|this",
    "pretend* to be your|you|someone|another|her|him|human",
    "pretend* [that] you",
    "go|going into [the|any] [exact|specific|precise] quantities|specifics|instructions|steps",
    "go|going there|down that|this road|path|route",
    "be telling|giving|showing|sharing|doing you|this|that",
    "be [the] one|part|responsible|involved|complicit",
    "joke|joking|speculat*|weigh*|comment* about|on|in",
    "mock*|insult*|demean*|target*|attack*|sexuali*|impersonat*|defam*",
    "assist*|collaborat*|cooperat*|contribut*|participat*|engag* to|with|in",
    "continue|continuing",
)
"""What one says no to by "I won't …", "I refuse to …": a choice, and no failure."""

BRIEF: Final = (
    "all|every|everything|each|both|here|again|spoilers|too|much|more|lies|on|anymore",
    "it down|out",
    "a soul",
    "you a hard|tough|lecture|break",
    "..4 twice|again",
    "the whole|full|entire|obvious|history|rest|ending|basics",
)
"""What one leaves out to be short, or promises: no refusal."""

SERVICE: Final = (
    "provid* !{guarantee}",
    "assist*|facilitat*|condone|comply|participate",
    "help with|people|anyone|plan",
    "engage in",
    "generate|produce|create|write|share|discuss|give|offer {information}|out|explicit|sexual",
    "support|promote|encourage that|this|such|any|violence|the",
    "generate|produce|create|write|share|give|offer ..3 content|material|instructions|details",
)
"""What "I do not …" turns down: in other words it tells of a habit."""

DEED: Final = (
    "help|helping [you|out|anyone] with|$",
    "help|helping you|anyone !but",
    "assist*",
    "comply|complying",
    "provid*|share|discuss|generate|create|write {information}",
    "answer|answering that|this|your",
    "fulfil* that|this|your|the",
    "do|doing that|this",
    "generate|create|write|produce ..2 content|speech|material|instructions|text",
    "give|giving|offer|offering ..2 advice|guidance|instructions",
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
    "touching that|this",
)
"""What "I'm not …" turns down."""

WARES: Final = (
    "that|this|those|these|it|such|them|any $|kind|kinds|sort|type|of|content|things|here",
    "content|instructions|malware|weapons|exploits|spyware|essays|propaganda|fakes|forgeries",
    "explicit|sexual|hateful|harmful|violent|illegal|deceptive|racist|graphic|working|phishing",
    "instructions|guides|advice|steps|directions|tips|guidance for|on|to",
)

TRADE: Final = (
    "build|make|write|create|produce|generate|sell|code|design {wares}",
    "give|provide|share|offer|answer|discuss|describe|publish {wares}|{information}",
    "help ..1 plan|hide|hurt|track|cheat|hack|steal|build|make|stalk",
    "do that|this !because|anymore|often|much",
)
"""What "I don't …" turns down as a rule of the speaker's: "I don't build those"."""

CHOSEN: Final = (
    "can|will|would|could|should|do {hardly}* [be]",
    "am|feel {hardly}* able|willing|going|prepared|comfortable|allowed|permitted|here",
    "want to",
)
"""How one ends "that is not something I …"."""

PRIVATE: Final = (
    "your|their|his|her|people|any|other ..5 password|passwords|pin|address|number|email|salary",
    "your|their|his|her|people|any|other ..5 login|records|identity|beliefs|history|medical",
)
"""What no assistant is given: "I don't have access to your teacher's address"."""
