"""glyphs.py FONT.ttf > glyphs.txt: the outlines with which pictures are set in PNG files, 1,000 units to the em, y down.

A line for a character: its code in hexadecimal, its advance, its outline as SVG writes paths (m l q z, relative)."""

import sys

from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

CHARACTERS = [*range(0x20, 0x7F), *range(0xA1, 0x100), 0x2013, 0x2014, 0x2026, 0x2192, 0x2212, 0x221A, 0x2248, 0x2264, 0x2265, 0xFFFD]


class Outline(BasePen):
    def __init__(self, glyphs, scale):
        super().__init__(glyphs)
        self.scale, self.words, self.at = scale, "", (0, 0)

    def step(self, letter, *points):
        """Distances from where the pen stands: rounded places are subtracted, so that no error adds up."""
        places = [(round(x * self.scale), -round(y * self.scale)) for x, y in points]
        numbers = [n for x, y in places for n in (x - self.at[0], y - self.at[1])]
        self.words += letter + "".join(str(n) if n < 0 or k == 0 else f" {n}" for k, n in enumerate(numbers))
        self.at = places[-1]

    def _moveTo(self, point):
        self.step("m", point)
        self.start = self.at

    def _lineTo(self, point):
        self.step("l", point)

    def _qCurveToOne(self, control, point):
        self.step("q", control, point)

    def _closePath(self):
        self.words += "z"
        self.at = self.start


font = TTFont(sys.argv[1])
names, glyphs, scale = font.getBestCmap(), font.getGlyphSet(), 1000 / font["head"].unitsPerEm
for code in CHARACTERS:
    glyph = glyphs[names[code]]
    outline = Outline(glyphs, scale)
    glyph.draw(outline)
    print(f"{code:x} {round(glyph.width * scale)} {outline.words}".rstrip())
