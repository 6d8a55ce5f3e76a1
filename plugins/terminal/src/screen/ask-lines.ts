import type { Ask } from '@amodal/sdk/client'
import { withoutControls } from '@amodal/sdk/data'
import type { Layout } from '../markdown/layout.ts'
import { hanging, subjectOf } from './item-lines.ts'
import { valueLines } from './values.ts'

/**
 * What a person has to know to decide, in full: it goes into the scrollback, since it may be longer
 * than the screen. Nothing for questions, which are short.
 */
export function askLines(ask: Ask, layout: Layout): readonly string[] {
  switch (ask.kind) {
    case 'approval': {
      const inner = { ...layout, columns: Math.max(1, layout.columns - 4) }
      const details = Object.keys(ask.details).length > 0 ? valueLines(ask.details, inner) : []
      const lines = [...valueLines(ask.params, inner), ...details]
      const title = ask.escalated ? 'Needs a review' : 'Needs your approval'
      return [
        ...hanging('? ', `${title}: ${subjectOf(ask)}`, layout, ['bold'], ['warning', 'bold']),
        ...(ask.reason === '' ? [] : hanging('  ', ask.reason, layout)),
        ...lines.map((line) => `    ${line}`),
        ...(ask.expires === undefined
          ? []
          : [layout.paint(`  expires ${withoutControls(ask.expires)}`, 'dim')]),
      ]
    }
    case 'limit': {
      const share = ask.limit === '' ? '' : `: ${ask.used} of ${ask.limit} used`
      return hanging('? ', `A limit is reached: ${subjectOf(ask)}${share}`, layout, ['bold'])
    }
    case 'question':
      return []
    default:
      return ask satisfies never
  }
}
