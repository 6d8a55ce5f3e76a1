import { timeLimit, type Command, type CommandContext, type Json, type Result } from '@amodal/sdk'
import { askRoutes, errorLine } from '@amodal/plugin-http/tokens'
import { usageLines } from './command-lines.ts'
import { Usage } from './tokens.ts'

const REPORT_MS = 120_000

const PARAMETERS = ['from', 'to', 'by', 'group'] as const

/** `amodal ops usage`. */
export const usageCommand: Command = {
  summary: 'Show what runs cost: tokens, dollars, times and errors',
  usage: 'amodal ops usage [--from DAY] [--to DAY] [--by day|hour] [--group NAME] [--json]',
  about: [
    'Works on the data of the agent folder, or with --url on a running server. With an embedded database a running server has the folder to itself: give its address.',
    'Groups: model, agent, tool, principal, automation, profile, and, without --url, tenant.',
  ],
  examples: [
    ['amodal ops usage', 'show the last 30 days by model'],
    ['amodal ops usage --group tool --from 2026-05-01', 'show calls of tools since then'],
    ['amodal ops usage --group tenant', 'show what each tenant cost'],
  ],
  options: {
    url: { type: 'string', description: 'A running server, such as http://127.0.0.1:3847' },
    scope: { type: 'string', description: 'Whose usage, where there are several tenants' },
    from: { type: 'string', description: 'ISO time or day since which runs ended' },
    to: { type: 'string', description: 'ISO time or day before which they ended' },
    by: { type: 'string', description: 'day or hour' },
    group: { type: 'string', description: 'What sums are shown of: model, agent, tool, …' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(context) {
    const report = await reportFor(context)
    if (!report.ok) {
      context.fail(report.error)
      return 1
    }
    if (context.options['json'] === true) context.print(JSON.stringify(report.value))
    else for (const line of usageLines(report.value)) context.print(line)
    return 0
  },
}

async function reportFor(context: CommandContext): Promise<Result<Json, string>> {
  const { options, signal } = context
  const parameters = Object.fromEntries(
    PARAMETERS.flatMap((name) => {
      const value = options[name]
      return typeof value === 'string' ? [[name, value] as const] : []
    }),
  )
  const limit = timeLimit(REPORT_MS, 'reading usage', signal)
  if (options['group'] === 'tenant' && options['url'] === undefined) {
    const { scope } = await context.start({ without: ['http'] })
    const report = await scope.get(Usage).ofAllTenants(parameters, limit)
    return report.ok
      ? report
      : { ok: false, error: `${report.error.code}: ${report.error.message}` }
  }
  const ask = await askRoutes(context, ({ scope }) => scope.get(Usage).routes)
  const query = new URLSearchParams(parameters).toString()
  const response = await ask('GET', `/api/usage?${query}`, undefined, limit)
  const text = await response.text()
  return response.ok
    ? { ok: true, value: JSON.parse(text) as Json } // of our own routes
    : { ok: false, error: errorLine(text) }
}
