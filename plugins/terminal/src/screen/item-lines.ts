import type { Ask, Call, Item, Settled } from '@amodal/sdk/client'
import { withoutControls } from '@amodal/sdk/data'
import type { Layout } from '../markdown/layout.ts'
import { wrap } from '../markdown/wrap.ts'
import type { Look } from '../paint.ts'
import { fit, widthOf } from '../width.ts'
import { shortValue } from './values.ts'

/** Progress messages of a call that are shown. */
const LOG_LINES = 5
/** Lines of an error that are shown. */
const ERROR_LINES = 10

/** The lines of an item that is not a text of the agent; none where nothing is shown. */
export function itemLines(item: Item, layout: Layout): readonly string[] {
  switch (item.kind) {
    case 'user':
      return hanging('› ', item.text, layout, ['bold'], ['accent', 'bold']).concat(
        (item.assets ?? []).flatMap(({ name }) => hanging('  + ', name ?? 'file', layout, ['dim'])),
      )
    case 'text':
      return hanging('', item.text, layout)
    case 'thought':
      return []
    case 'call':
      return callLines(item, layout)
    case 'widget':
      return [oneLine('  ', `[${item.type}] ${shortValue(item.data)}`, layout, ['dim'])]
    case 'ask':
      return settledLines(item.ask, item.settled, layout)
    case 'doubt':
      return doubtLines(item, layout)
    case 'note':
      return noteLines(item.tone, item.text, layout)
    case 'end':
      return item.reason === 'model_stop' || item.reason === 'error'
        ? []
        : [
            layout.paint(
              `  (${ENDS[item.reason] ?? `ended: ${withoutControls(item.reason)}`})`,
              'dim',
            ),
          ]
    default:
      return item satisfies never
  }
}

const ENDS: Readonly<Record<string, string>> = { user_abort: 'stopped' }

/** A remark of the server or of this client. */
export function noteLines(
  tone: 'info' | 'warning' | 'error',
  text: string,
  layout: Layout,
): readonly string[] {
  const [sign, looks] = NOTES[tone]
  return hanging(sign, text, layout, looks, looks)
}

const NOTES: Readonly<Record<'info' | 'warning' | 'error', readonly [string, readonly Look[]]>> = {
  info: ['  · ', ['dim']],
  warning: ['  ! ', ['warning']],
  error: ['  ✗ ', ['bad']],
}

const STATUS: Readonly<Record<Call['status'], readonly [string, Look]>> = {
  running: ['● ', 'warning'],
  waiting: ['● ', 'warning'],
  success: ['✓ ', 'good'],
  error: ['✗ ', 'bad'],
  unknown: ['? ', 'warning'],
  stopped: ['■ ', 'dim'],
}

function callLines(call: Call, layout: Layout): readonly string[] {
  const { paint } = layout
  const [sign, look] = STATUS[call.status]
  const log = call.log.slice(-LOG_LINES).map((line) => oneLine('    ', line, layout, ['dim']))
  return [callHead(call, layout, paint(`  ${sign}`, look)), ...log, ...resultLines(call, layout)]
}

/** What is called, and with what, in one line. */
function callHead({ label, params }: Call, { columns, paint }: Layout, sign: string): string {
  const room = columns - widthOf(sign)
  const name = fit(withoutControls(label).replaceAll('\n', ' '), room)
  const free = room - widthOf(name) - 1
  return sign + name + (free < 4 ? '' : paint(` ${fit(shortValue(params), free)}`, 'dim'))
}

function resultLines({ status, result = '' }: Call, layout: Layout): readonly string[] {
  const text = withoutControls(result).trim()
  if (text === '') return []
  if (status === 'error') return hanging('    ', text, layout, ['bad']).slice(0, ERROR_LINES)
  return [oneLine('    ', text.replaceAll(/\s+/g, ' '), layout, ['dim'])]
}

/** A call that has not ended, for the part of the screen that changes. */
export const runningCallLine = (call: Call, layout: Layout): string => {
  const [sign, look] = STATUS[call.status]
  const head = callHead(call, layout, layout.paint(`  ${sign}`, look))
  const last = call.log.at(-1)
  return last === undefined ? head : `${head}\n${oneLine('    ', last, layout, ['dim'])}`
}

const DECISIONS: Readonly<Record<Settled['decision'], readonly [string, Look]>> = {
  approved: ['✓ Allowed', 'good'],
  declined: ['✗ Declined', 'bad'],
  expired: ['✗ Not answered in time', 'bad'],
  answered: ['✓ Answered', 'good'],
  stopped: ['■ Not answered', 'dim'],
}

function settledLines(ask: Ask, settled: Settled | undefined, layout: Layout): readonly string[] {
  const [text, look] = DECISIONS[settled?.decision ?? 'stopped']
  const { scope, feedback, answer } = settled ?? {}
  const details = [
    subjectOf(ask),
    scope === 'conversation' ? 'and later calls in this conversation' : '',
    feedback ?? '',
    answer ?? '',
  ].filter((part) => part !== '')
  return hanging('  ', [text, ...details].join(' · '), layout, [look])
}

/** What a decision is about. */
export function subjectOf(ask: Ask): string {
  switch (ask.kind) {
    case 'approval':
      return ask.target === '' || ask.target === ask.tool ? ask.tool : `${ask.tool} ${ask.target}`
    case 'limit':
      return ask.reason.replaceAll('_', ' ')
    case 'question':
      return ask.questions.map(({ text }) => text).join(' · ')
    default:
      return ask satisfies never
  }
}

function doubtLines(
  { tool, params, open, settled }: Extract<Item, { readonly kind: 'doubt' }>,
  layout: Layout,
): readonly string[] {
  const what = `${tool} ${shortValue(params)}`
  if (settled) return noteLines('info', `Settled: ${settled.outcome} · ${what}`, layout)
  const advice = open ? ` Settle it: /settle ${open.call_id} happened|not_happened|retry` : ''
  return noteLines('warning', `Whether this happened is unknown: ${what}.${advice}`, layout)
}

function oneLine(
  indent: string,
  text: string,
  { columns, paint }: Layout,
  looks: readonly Look[],
): string {
  const line = fit(withoutControls(text).replaceAll('\n', ' '), columns - indent.length)
  return indent + paint(line, ...looks)
}

/** A text behind a sign; its further lines are indented as far. */
export function hanging(
  sign: string,
  text: string,
  { columns, paint }: Layout,
  looks: readonly Look[] = [],
  signLooks: readonly Look[] = looks,
): string[] {
  const spans = [{ text: withoutControls(text), looks, at: undefined }]
  return wrap(spans, Math.max(1, columns - sign.length), paint).map(({ text: line }, at) =>
    at === 0 ? paint(sign, ...signLooks) + line : ' '.repeat(sign.length) + line,
  )
}
