import type { BundleFile } from '@amodal/sdk'
import type { Issues } from '@amodal/sdk/files'
import type { Automation } from './definition.ts'
import { parseSchedule } from './schedule.ts'

/**
 * Reads the older form: `# Automation: Title`, a line `Schedule: 0 7 * * *`, and the prompt under
 * `## Check`.
 */
export function readMarkdown(
  name: string,
  { path: file, text }: BundleFile,
  issues: Issues,
): Automation | undefined {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const lineOf = (which: RegExp): number => lines.findIndex((line) => which.test(line))
  const check = lineOf(/^##\s+check\s*$/i)
  if (check === -1)
    return void issues.error('BAD_REPO', `the automation "${name}" has no prompt`, {
      file,
      line: 1,
      fix: 'write it under "## Check", or write the automation as JSON',
    })
  const rest = lines.slice(check + 1)
  const end = rest.findIndex((line) => /^##?\s/.test(line))
  const prompt = (end === -1 ? rest : rest.slice(0, end)).join('\n').trim()
  if (prompt === '')
    return void issues.error('BAD_REPO', `the prompt of "${name}" is empty`, {
      file,
      line: check + 1,
      fix: 'say below "## Check" what the agent does',
    })
  if (end !== -1)
    issues.warn('BAD_REPO', `"${rest[end]?.trim() ?? ''}" is not read`, {
      file,
      line: check + 2 + end,
      fix: 'write the automation as JSON, where results are sent to "delivery"',
    })
  const top = lines.find((line) => /^#\s+/.test(line)) ?? ''
  const title = top.replace(/^#\s+(?:automation:\s*)?/i, '').trim()
  const scheduled = lineOf(/^schedule:/i)
  const isAbove = scheduled !== -1 && scheduled < check
  const schedule = isAbove ? lines[scheduled]?.replace(/^schedule:/i, '').trim() : undefined
  const parsed = schedule === undefined ? undefined : parseSchedule(schedule, 'UTC')
  if (parsed?.ok === false)
    return void issues.error(
      'BAD_REPO',
      `"${schedule ?? ''}" is no cron expression: ${parsed.error}`,
      { file, line: scheduled + 1, fix: 'write five fields, as in `Schedule: 0 7 * * *`' },
    )
  return {
    name,
    title: title === '' ? name : title,
    prompt,
    trigger: schedule === undefined ? 'manual' : 'cron',
    ...(schedule === undefined ? {} : { schedule }),
    timezone: 'UTC',
    writeEnabled: false,
    approvals: 'wait',
    overlap: schedule === undefined ? 'parallel' : 'skip',
    catchUp: 'last',
    whilePaused: 'hold',
    holdHours: 72,
    role: 'automation',
    file,
  }
}
