"""Makes noto-sans-sc-gb2312.otf: the Simplified Chinese face of Noto Sans CJK Regular, cut to what reports need.

Debian: apt-get install fonts-noto-cjk; pip install fonttools; python make-subset.py
"""
import subprocess
import tempfile

SOURCE = '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc'
FACE = '2'  # Noto Sans CJK SC in the collection of version 2.004

chars = {chr(code) for code in range(0x20, 0x7F)}
for row in range(0xA1, 0xF8):
    for cell in range(0xA1, 0xFF):
        try:
            chars.add(bytes([row, cell]).decode('gb2312'))
        except UnicodeDecodeError:
            pass
# Latin with accents, Greek, dashes and quotes, arrows, comparison signs, geometric shapes.
for first, last in [
    (0xA0, 0x180), (0x2010, 0x2028), (0x2030, 0x2040), (0x2190, 0x219A), (0x2260, 0x2266), (0x25A0, 0x25D0),
    (0x370, 0x3D0),
]:
    chars.update(chr(code) for code in range(first, last))

with tempfile.NamedTemporaryFile('w', suffix='.txt', encoding='utf-8') as wanted:
    wanted.write(''.join(sorted(chars)))
    wanted.flush()
    subprocess.run(
        [
            'pyftsubset', SOURCE, f'--font-number={FACE}', f'--text-file={wanted.name}',
            '--output-file=noto-sans-sc-gb2312.otf', '--layout-features=', '--no-hinting',
            '--name-IDs=0,1,2,3,4,5,6,13,14', '--drop-tables+=vhea,vmtx,VORG,GSUB,GPOS',
        ],
        check=True,
    )
