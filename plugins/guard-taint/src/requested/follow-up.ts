import { isObject, type Json, type PreparedCall } from '@amodal/sdk'
import { normal } from '../normal.ts'
import type { Known } from '../taint.ts'
import { madeOf, numbersOfText } from './amounts.ts'
import { DAY } from './day.ts'
import { hoursIn, isHour } from './hour.ts'
import { givenIn, type Given } from './deed.ts'
import { isMadeOf } from './overlap.ts'
import { isMeantBy } from './senses.ts'
import { isEnumerated, spaced } from './values.ts'
import type { MadeCall } from './requests.ts'

/** Says that what was done before is to be done with something else, or in another way. */
const AGAIN =
  /(?:^| )(?:same|too|as well|also|likewise|ditto|again|instead|rather|better|actually|double|halve|half|make (?:it|that)|no|nope|sorry|and|back|undo|off|on|gleiche\p{L}*|auch|ebenso|genauso|nochmal|wieder|doch|nein|aussi|pareil|idem|même|non|plutôt|también|igual|lo mismo|otra vez|anche|stess\p{L}*|uguale|invece|ancora|também|mesm\p{L}*|igual|ook|zelfde|weer|opnieuw|też|także|to samo|znowu|ponownie|as for)(?: |$)|も|同じ|また/u
const BACK =
  /(?:^| )(?:off|undo|again|back|revert|no longer|not|remove|stop|wieder|aus|annul\p{L}*|enlève|quita\p{L}*|togli|tira|uit|weer|cofnij|wyłącz)(?: |$)|戻/u
/** Words of a message that only makes sense with what was before it. */
const LONGEST = 25

/**
 * Whether a call is what was done in the turn before once more, with what the person has just said
 * put in its place: same for 8805, double that, take it off again.
 */
export function isFollowUp(call: PreparedCall, known: Known): boolean {
  const { requests } = known.session
  const sentences = requests.now().flatMap((one) => one.sentences)
  const text = sentences.map((one) => one.text).join(' ')
  if (sentences.some(({ mood }) => mood === 'reads') || !AGAIN.test(text)) return false
  if (sentences.flatMap(({ words }) => words).length > LONGEST) return false
  return requests
    .madeBefore(call.tool.name, call.args)
    .some((made) => isLike(made, call.args, text, known))
}

function isLike(made: MadeCall, args: Json, text: string, known: Known): boolean {
  const before = partsOf(made.args)
  const now = partsOf(args)
  const numbers = numbersOfText(text)
  const isOther = now.path.some((part, at) => part !== before.path[at])
  const isPath = now.path.every(
    (part, at) =>
      part === before.path[at] || (/^\d+$/.test(part) && numbers.includes(Number(part))),
  )
  if (!isPath || now.path.length !== before.path.length) return false
  let changed = isOther
  const isAll = now.values.every((one) => {
    const old = before.values.find(({ field }) => field === one.field)
    if (!old) return false
    if (old.value === one.value) return true
    changed = true
    return follows(one, old, text, numbers, known)
  })
  return isAll && changed
}

function follows(
  { value, says, name }: Given,
  old: Given,
  text: string,
  numbers: readonly number[],
  known: Known,
): boolean {
  if (typeof value === 'boolean')
    return (
      typeof old.value === 'boolean' &&
      (value ? !BACK.test(text) || /(?:^| )on(?: |$)/.test(text) : BACK.test(text))
    )
  if (typeof value === 'number')
    return (
      numbers.includes(value) ||
      (typeof old.value === 'number' && madeOf(text, [old.value]).includes(value))
    )
  if (typeof value !== 'string') return false
  if (DAY.test(value) && typeof old.value === 'string')
    return isMoved(value, old.value, name, text, numbers)
  if (says) return isMadeOf(value, [...wordsOf(text), ...wordsOf(String(old.value))], known)
  if (isEnumerated(value) && isMeantBy(value, name, text)) return true
  return (
    ` ${text} `.includes(` ${spaced(normal(value))} `) || ` ${text} `.includes(` ${normal(value)} `)
  )
}

/** The same day at another hour: sorry, 10. */
function isMoved(
  value: string,
  old: string,
  name: string,
  text: string,
  numbers: readonly number[],
): boolean {
  const [, day, hour = '', minute = ''] = DAY.exec(value) ?? []
  const [, before] = DAY.exec(old) ?? []
  if (day !== before || hour === '') return false
  const { minutes, lengths } = hoursIn(text)
  const whole = numbers.filter((one) => one <= 24).flatMap((one) => [one * 60, (one + 12) * 60])
  return isHour(Number(hour) * 60 + Number(minute), name, {
    minutes: new Set([...minutes, ...whole]),
    lengths,
  })
}

const wordsOf = (text: string): readonly string[] => normal(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** What a call is done to, and what it is given. */
function partsOf(args: Json): {
  readonly path: readonly string[]
  readonly values: readonly Given[]
} {
  if (!isObject(args)) return { path: [], values: [] }
  const { endpoint, data } = args
  if (typeof endpoint !== 'string') return { path: [], values: givenIn(args, 'args', '', 0) }
  return {
    path: endpoint.split('/').filter((part) => part !== ''),
    values: data === undefined ? [] : givenIn(data, 'body', '', 0),
  }
}
