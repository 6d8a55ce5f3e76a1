/** What of a day a person spoke of, in minutes since midnight. */
export interface Hours {
  readonly minutes: ReadonlySet<number>
  /** How long things take, or by how much they are moved. */
  readonly lengths: ReadonlySet<number>
}

const HOUR = 60
const DAY = 24 * HOUR
const WORDS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'one eins un una uno',
    'two zwei deux dos due dwa',
    'three drei trois tres tre trzy',
    'four vier quatre cuatro quattro',
    'five fünf cinq cinco cinque',
    'six sechs seis sei zes',
    'seven sieben sept siete sette',
    'eight acht huit ocho otto',
    'nine neun neuf nueve nove',
    'ten zehn dix diez dieci tien',
    'eleven elf onze once undici',
    'twelve zwölf douze doce dodici twaalf',
  ].flatMap((list, at) => list.split(' ').map((word) => [word, at + 1] as const)),
)
const NUMBER = `\\d{1,2}|${Object.keys(WORDS).join('|')}`
const EXPLICIT = /(?<![\d.,:])(\d{1,2}) ?(?:[:h.]|時) ?(\d{2})(?:分)?(?![\d])(?: ?([ap])\.?m)?/gu
const MARKED =
  /(?<![\d.,:])(\d{1,2}) ?(?:([ap])\.?m\b|uhr|h\b|時|o'clock|ore\b|horas|heures?|uur)/gu
const BEHIND = new RegExp(
  `(?:^| )(?:at|from|till|until|til|by|past|to|-|half|quarter|um|von|bis|ab|gegen|halb|viertel|à|dès|vers|a las|las|desde|hasta|alle|dalle|às|até|om|tot|o|od|do|a) (${NUMBER})(?![\\p{L}\\d])`,
  'gu',
)
const RANGE = new RegExp(
  `(?<![\\p{L}\\d.,:])(${NUMBER}) ?(?:-|–|to|till|until|bis|à|a|alle|tot|do) ?(${NUMBER})(?![\\p{L}\\d.,])`,
  'gu',
)
const HALF_OF_DAY = /^ ?([ap])\.?m/
const HALF = /half|halb|demie|media|mezza|meia|wpół|半/u
const QUARTER = /quarter|viertel|quart\b|cuarto|kwart/u
const LENGTH = new RegExp(
  `(?:(${NUMBER}|\\d{3}|an?|half an|halbe|eine|une|demi|media|mezz|meia|half|een) ?['’-]?)?(hours?|hrs?|stunden?|heures?|horas?|oretta|ora|uur|godzin\\p{L}*|時間|minutes?|mins?|minuten|minuti|minutos?|minut\\p{L}*|分)`,
  'gu',
)

const numberIn = (text: string): number =>
  Object.hasOwn(WORDS, text) ? (WORDS[text] ?? 0) : Number(text)

/** An hour as it may be meant: four is 4:00 and 16:00, 4 pm is not. */
function meant(hour: number, minute: number, half?: string): readonly number[] {
  if (hour > 24) return []
  const at = (hour % 24) * HOUR + minute
  if (half === 'p') return [hour < 12 ? at + DAY / 2 : at]
  if (half === 'a') return [at % (DAY / 2)]
  return hour < 12 ? [at, at + DAY / 2] : [at]
}

/** The hours that a text names, each in all that it may mean; none, where it names none. */
export function hoursIn(text: string): Hours {
  const minutes = new Set<number>()
  const take = (all: readonly number[]): void =>
    all.forEach((one) => minutes.add((one + DAY) % DAY))
  for (const [, hour = '', minute = '', half] of text.matchAll(EXPLICIT))
    if (Number(minute) < HOUR)
      take(
        hour.startsWith('0')
          ? meant(Number(hour), Number(minute), 'a')
          : meant(Number(hour), Number(minute), half),
      )
  const whole = [
    ...[...text.matchAll(MARKED)].map(([, hour = '', half]) => ({ hour: Number(hour), half })),
    ...[...text.matchAll(BEHIND)].map(({ 0: found, 1: hour = '', index }) => ({
      hour: numberIn(hour),
      half: HALF_OF_DAY.exec(text.slice(index + found.length, index + found.length + 4))?.[1],
    })),
  ]
  for (const [, from = '', to = ''] of text.matchAll(RANGE))
    whole.push({ hour: numberIn(from), half: undefined }, { hour: numberIn(to), half: undefined })
  const parts = [
    ...(HALF.test(text) ? [30, -30] : []),
    ...(QUARTER.test(text) ? [15, -15, 45, -45] : []),
  ]
  for (const { hour, half } of whole)
    for (const part of [0, ...parts]) take(meant(hour, 0, half).map((one) => one + part))
  if (/\b(?:noon|midday|mittags?|midi|mediodía|mezzogiorno|meio-dia)\b/u.test(text)) take([DAY / 2])
  if (/\b(?:midnight|mitternacht|minuit|medianoche|mezzanotte)\b/u.test(text)) take([0])
  return { minutes, lengths: lengthsIn(text) }
}

function lengthsIn(text: string): ReadonlySet<number> {
  const lengths = [...text.matchAll(LENGTH)].flatMap(([, many = '', unit = '']) => {
    const isHour = /^(?:h|st|ora|oret|uur|god|時)/u.test(unit)
    const isHalf = /^(?:half|halbe|demi|media|mezz|meia)/u.test(many)
    const number = isHalf ? 0.5 : numberIn(many)
    const length = (Number.isFinite(number) && number > 0 ? number : 1) * (isHour ? HOUR : 1)
    return /and a half|et demie|y media|e mezza|e meia|einhalb/u.test(text)
      ? [length, length + 30]
      : [length]
  })
  return new Set(lengths)
}

const ENDS = /end|until|till|finish|stop|close|expires?|bis|due|deadline/i
/** Of what nobody said how long it takes. */
const USUAL: readonly number[] = [30, HOUR]

/** Whether a time of day is one of these, or where something ends that begins then. */
export function isHour(minute: number, name: string, { minutes, lengths }: Hours): boolean {
  const has = (one: number): boolean => minutes.has((one + DAY) % DAY)
  if (has(minute)) return true
  if (ENDS.test(name) && USUAL.some((length) => has(minute - length))) return true
  return [...lengths].some((length) => has(minute - length) || has(minute + length))
}
