import { readingsOf } from '../normal.ts'

/** Numbers as words, in the languages that people mostly write in. */
const NUMBER_WORDS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'zero null zéro cero nul',
    '',
    'two zwei deux dos due twee dwa dois both couple',
    'three drei trois tres tre drie trzy três',
    'four vier quatre cuatro quattro cztery quatro',
    'five fünf cinq cinco cinque vijf pięć',
    'six sechs seis sei zes sześć',
    'seven sieben sept siete sette zeven siedem sete',
    'eight acht huit ocho otto osiem oito',
    'nine neun neuf nueve nove negen dziewięć',
    'ten zehn dix diez dieci tien dziesięć dez',
    'eleven elf onze once undici jedenaście',
    'twelve zwölf douze doce dodici twaalf dwanaście doze dozen',
  ].flatMap((list, number) =>
    list
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => [word, number] as const),
  ),
)
const TENS: Readonly<Record<string, number>> = {
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  hundred: 100,
  zwanzig: 20,
  dreißig: 30,
  fünfzig: 50,
  hundert: 100,
  vingt: 20,
  trente: 30,
  cinquante: 50,
  cent: 100,
  veinte: 20,
  treinta: 30,
  cincuenta: 50,
  cien: 100,
  venti: 20,
  trenta: 30,
  cinquanta: 50,
  cento: 100,
}
const TIMES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  grand: 1e3,
  tausend: 1e3,
  mille: 1e3,
  mil: 1e3,
  mila: 1e3,
  m: 1e6,
  mio: 1e6,
  million: 1e6,
}

/** What a person makes of a number that was said. */
const PARTS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:half|halve|halved|hälfte|halb|moitié|mitad|metà|metade|helft|połow\p{L}*)\b|半分/u, 0.5],
  [
    /(?<!(?:charged|billed|paid|ordered|booked) )\b(?:double(?! (?:charged|billed|booked|paid))|twice (?:that|as|the|it|what)|verdopp\p{L}*|doppelt so|doublez?|le double|dobla|doblar|duplica|el doble|il doppio|o dobro|dobr[ae]r?|raddopp\p{L}*|verdubbel\p{L}*|podw\p{L}*)\b|倍/u,
    2,
  ],
  [/\b(?:triple|tripled|three times|verdreifach\p{L}*|tripl\p{L}*)\b/u, 3],
  [/\b(?:quarter|viertel|quart|cuarto)\b/u, 0.25],
  [/\b(?:third|drittel|tiers|tercio|terzo)\b/u, 1 / 3],
]

function known(word: string): number | undefined {
  if (Object.hasOwn(NUMBER_WORDS, word)) return NUMBER_WORDS[word]
  return Object.hasOwn(TENS, word) ? TENS[word] : undefined
}

/**
 * Numbers that a text names, in digits or as a word, with `k` and thousands; what parts their
 * digits is read in both ways. One in ten is ten percent.
 */
export function numbersOfText(text: string): readonly number[] {
  const digits = [
    ...text.matchAll(
      /(\d+(?:[.,'’]\d+)*) ?(k|m|mio|thousand|grand|million|tausend|mille|mil|mila)?(?![\p{L}\d])/gu,
    ),
  ]
  const plain = digits.flatMap(([, found = '', times = '']) => {
    const factor = Object.hasOwn(TIMES, times) ? (TIMES[times] ?? 1) : 1
    return readingsOf(found).flatMap((one) => (factor === 1 ? [one] : [one, one * factor]))
  })
  const words = text.split(/[\s-]+/)
  const named = words.flatMap((word, at) => {
    const number = known(word)
    if (number === undefined) return []
    const next = words[at + 1] ?? ''
    const small = known(next)
    const times = Object.hasOwn(TIMES, next) ? TIMES[next] : undefined
    return [
      number,
      ...(number >= 20 && small !== undefined && small < 10 ? [number + small] : []),
      ...(times === undefined ? [] : [number * times]),
      ...(next === 'hundred' ? [number * 100] : []),
    ]
  })
  const share = /\b(?:one|1|1st) (?:in|out of) (\S+)/.exec(text)?.[1]
  const parts = share === undefined ? undefined : (known(share) ?? Number(share))
  const percent = parts !== undefined && parts > 0 ? [100 / parts, 1 / parts] : []
  const shares = [
    ...text.matchAll(/(\d+(?:[.,]\d+)?) ?(?:%|percent|prozent|per cent|pourcent)/g),
  ].map(([, found = '']) => Number(found.replace(',', '.')) / 100)
  return [...plain, ...named, ...percent, ...shares]
}

/** What was so before: instead of 27,90. */
export const withoutOld = (text: string): string =>
  text.replace(
    /(?<![\p{L}])(?:instead of|rather than|statt|anstatt|au lieu de|en vez de|invece di|em vez de|in plaats van|zamiast)(?: \p{Sc})? \S+/gu,
    ' ',
  )

/** What a text makes of numbers that were said before: half of it, double that. */
export function madeOf(text: string, numbers: readonly number[]): readonly number[] {
  return PARTS.flatMap(([words, factor]) =>
    words.test(text) ? numbers.map((one) => Math.round(one * factor * 100) / 100) : [],
  )
}
