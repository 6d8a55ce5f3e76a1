/** Small files of many kinds, each whole as far as its first bytes tell. */

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part),
    ),
  )
const rest = Array.from({ length: 64 }, (_, n) => (n * 7) % 251)

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const JPEG = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF', [0, 1], rest)
export const GIF = bytes('GIF89a', [1, 0, 1, 0], rest)
export const WEBP = bytes('RIFF', [40, 0, 0, 0], 'WEBPVP8 ', rest)
export const PDF = bytes('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF\n')
const ZIP = bytes(
  'PK',
  [3, 4, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
  'a',
)
export const MP3 = bytes('ID3', [3, 0, 0, 0, 0, 0, 0], [0xff, 0xfb, 0x90, 0x44], rest)
export const WAV = bytes('RIFF', [36, 0, 0, 0], 'WAVEfmt ', rest)
const hdlr = (kind: string): Buffer => bytes([0, 0, 0, 32], 'hdlr', Array(8).fill(0), kind, rest)
const mp4 = (brand: string, ...kinds: readonly string[]): Buffer =>
  Buffer.concat([
    bytes([0, 0, 0, 24], `ftyp${brand}`, [0, 0, 2, 0], 'isomiso2'),
    ...kinds.map(hdlr),
  ])
const MP4 = mp4('isom', 'vide', 'soun')
/** As Safari records a voice. */
export const M4A_RECORDED = mp4('iso5', 'soun')
export const M4A = mp4('M4A ', 'soun')
export const AAC = bytes([0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc], rest)
const ogg = (codec: string): Buffer => bytes('OggS', Array(24).fill(0), codec, rest)
export const OGG = ogg('\x01vorbis')
export const OPUS = ogg('OpusHead')
const codec = (id: string): Buffer => bytes([0x86, 0x80 + id.length], id)
const webm = (...codecs: readonly string[]): Buffer =>
  Buffer.concat([
    bytes([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84], 'webm', [0x18, 0x53, 0x80, 0x67]),
    ...codecs.map(codec),
    bytes(rest),
  ])
const WEBM = webm('V_VP8', 'A_OPUS')
/** As Chrome and Firefox record a voice. */
export const WEBM_AUDIO = webm('A_OPUS')
export const FLAC = bytes('fLaC', [0, 0, 0, 34], rest)
const EXE = bytes('MZ', [0x90, 0, 3, 0], rest)
const ELF = bytes([0x7f], 'ELF', [2, 1, 1, 0], rest)
const GZIP = bytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], rest)
const NOISE = bytes([0x00, 0x01, 0x02, 0xfe], rest)
const LATIN = bytes('caf', [0xe9], ' au lait')

export interface Sample {
  readonly what: string
  readonly bytes: Buffer
  /** What the client says of it. */
  readonly said: string
  /** Its type where it is taken, or the code that it is refused with. */
  readonly comes: string
}

const taken = (what: string, content: Buffer | string, said: string, comes: string): Sample => ({
  what,
  bytes: Buffer.from(content),
  said,
  comes,
})
const REFUSED = 'ASSET_TYPE_REFUSED'

const IMAGES = { 'image/png': PNG, 'image/jpeg': JPEG, 'image/gif': GIF, 'image/webp': WEBP }
const BINARIES = { ...IMAGES, 'application/pdf': PDF }
const TEXTS = {
  'text/plain': 'Grüße aus Köln.\n',
  'text/csv': 'name,amount\nAnn,5\n',
  'text/markdown': '# Title\n\n* one\n',
  'text/html': '<!doctype html><script>alert(1)</script>',
  'application/json': '{"a":[1,2,3]}',
  'application/xml': '<?xml version="1.0"?><a/>',
  'application/yaml': 'a: 1\nb:\n  - 2\n',
} as const
/** Each under a name that senders also use. */
const SOUNDS: Readonly<Record<string, readonly [Buffer, string, string]>> = {
  WAV: [WAV, 'audio/wav', 'audio/x-wav'],
  MP3: [MP3, 'audio/mpeg', 'audio/mp3'],
  M4A: [M4A, 'audio/mp4', 'audio/x-m4a'],
  'M4A of a recorder': [M4A_RECORDED, 'audio/mp4', 'audio/mp4; codecs=mp4a.40.2'],
  AAC: [AAC, 'audio/aac', 'audio/aacp'],
  OGG: [OGG, 'audio/ogg', 'audio/ogg; codecs=vorbis'],
  Opus: [OPUS, 'audio/ogg', 'audio/opus'],
  'WebM of a recorder': [WEBM_AUDIO, 'audio/webm', 'audio/webm;codecs=opus'],
  FLAC: [FLAC, 'audio/flac', 'audio/x-flac'],
}
const OTHERS = { ZIP, MP4, WEBM, EXE, ELF, GZIP }

/** A hundred files, and what becomes of each. */
export const SAMPLES: readonly Sample[] = [
  // As what they are, under no name, and under a name that says nothing.
  ...Object.entries(BINARIES).flatMap(([type, content]) =>
    [type, '', 'application/octet-stream', `${type}; x=1`, type.toUpperCase()].map((said) =>
      taken(`${type} said to be "${said}"`, content, said, type),
    ),
  ),
  // As one another: what is said is not believed.
  ...Object.entries(BINARIES).flatMap(([type, content]) =>
    [...Object.keys(BINARIES), 'text/plain', 'image/svg+xml']
      .filter((said) => said !== type)
      .map((said) => taken(`${type} said to be ${said}`, content, said, REFUSED)),
  ),
  ...Object.entries(TEXTS).map(([type, text]) => taken(type, text, type, type)),
  ...Object.entries(TEXTS).map(([type, text]) =>
    taken(`${type} without a type`, text, '', type === 'application/xml' ? type : 'text/plain'),
  ),
  ...['image/png', 'application/pdf', 'audio/mpeg'].map((said) =>
    taken(`text said to be ${said}`, 'only words', said, REFUSED),
  ),
  ...Object.entries(SOUNDS).flatMap(([what, [content, type, other]]) => [
    ...[type, '', other].map((said) => taken(`${what} said to be "${said}"`, content, said, type)),
    taken(`${what} said to be a png`, content, 'image/png', REFUSED),
  ]),
  taken('WAV said to be MP3', WAV, 'audio/mpeg', REFUSED),
  taken('a video said to be sound', WEBM, 'audio/webm', REFUSED),
  ...Object.entries(OTHERS).flatMap(([what, content]) => [
    taken(`${what} without a type`, content, '', REFUSED),
    taken(`${what} said to be a png`, content, 'image/png', REFUSED),
    taken(`${what} said to be text`, content, 'text/plain', REFUSED),
  ]),
  taken('noise', NOISE, '', REFUSED),
  taken('noise said to be text', NOISE, 'text/plain', REFUSED),
  taken('text of another encoding', LATIN, 'text/plain', REFUSED),
  taken('text with NUL', 'a\0b', 'text/plain', REFUSED),
  taken(
    'an svg, which browsers run',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'image/svg+xml',
    REFUSED,
  ),
  taken('a png of an older name', PNG, 'image/x-png', 'image/png'),
  taken('a jpg', JPEG, 'image/jpg', 'image/jpeg'),
  taken('one byte', 'x', 'text/plain', 'text/plain'),
  taken('no byte', '', 'text/plain', 'VALIDATION_ERROR'),
  taken('no byte of an image', '', 'image/png', 'VALIDATION_ERROR'),
  taken('the beginning of a png alone', PNG.subarray(0, 8), 'image/png', REFUSED),
]
