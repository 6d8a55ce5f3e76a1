import type { JsonObject } from '@amodal/sdk'
import type { Issues, JsonFile } from '@amodal/sdk/files'
import { parseSchedule } from '@amodal/plugin-automations/tokens'
import type { HandlerTool, Language } from '../custom-tool.ts'
import { readStarted } from '../fields.ts'
import { matcherOf } from './pattern.ts'

/** Letters that the name of a scheduled tool has before it as an automation. */
const MOST_NAME = 59

export type Started = Pick<HandlerTool, 'triggers' | 'execution'>

/** Reads what starts a handler; `undefined` where a part of it cannot be used. */
export function readTriggers(
  json: JsonFile<JsonObject>,
  { name, language }: { readonly name: string; readonly language: Language },
  issues: Issues,
): Started | undefined {
  const before = issues.errors
  const read = readStarted(json, issues)
  if (!read) return undefined
  const { triggers, execution } = read
  const refuse = (field: readonly (string | number)[], message: string, fix: string): void =>
    issues.error('BAD_REPO', message, { file: json.file, line: json.lineOf(field), fix })
  for (const [index, trigger] of triggers.entries()) {
    if (trigger.kind === 'regex') {
      const matcher = matcherOf(trigger)
      if (!matcher.ok)
        refuse(
          ['triggers', index, 'pattern'],
          `its pattern cannot be used: ${matcher.error}`,
          'write it without look-around and back-references, which RE2 has not',
        )
    }
    if (trigger.kind === 'schedule') {
      const schedule = parseSchedule(trigger.cron, 'UTC')
      if (!schedule.ok)
        refuse(
          ['triggers', index, 'cron'],
          `"${trigger.cron}" is no cron expression: ${schedule.error}`,
          'write five fields, as in "0 9 * * 1-5" for weekdays at nine',
        )
      if (triggers.slice(0, index).some(({ kind }) => kind === 'schedule'))
        refuse(['triggers', index], 'it has two schedules', 'write one cron expression for both')
      if (name.length > MOST_NAME)
        refuse(['name'], 'a tool with a schedule has a shorter name', `use ${MOST_NAME} letters`)
    }
    if (trigger.kind === 'invoke' && execution !== 'durable')
      refuse(
        ['triggers', index],
        'a tool is invoked with durable execution alone',
        'add "execution": "durable"',
      )
  }
  if (execution === 'durable' && language !== 'typescript')
    refuse(['execution'], 'only a handler in TypeScript is durable', 'write handler.ts')
  if (issues.errors > before) return undefined
  return {
    ...(triggers.length > 0 && { triggers }),
    ...(execution && { execution }),
  }
}
