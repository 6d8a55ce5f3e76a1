import type { BundleIssue, Command, CommandContext, Secrets } from '@amodal/sdk'
import { issueLine } from '@amodal/sdk/files'
import { loadBundle, type LoadOptions } from './load.ts'

interface Report {
  readonly ok: boolean
  readonly dir: string
  /** What was found, where the folder loads. */
  readonly agent?: { readonly name: string; readonly version: string; readonly skills: number; readonly knowledge: number; readonly stores: number }
  readonly errors: number
  readonly warnings: number
  readonly issues: readonly BundleIssue[]
}

/** `amodal validate`: every problem of the folder in one go; exit code 1 where one of them is an error. */
export function validateCommand(secrets: Secrets, options: Omit<LoadOptions, 'secrets' | 'signal'>): Command {
  return {
    summary: 'Check the files of the agent',
    usage: 'amodal validate [--dir PATH] [--json]',
    options: { json: { type: 'boolean', description: 'Print the result as JSON' } },
    async run(context) {
      const report = await examine(context, { ...options, secrets })
      if (context.options['json'] === true) context.print(JSON.stringify(report, null, 2))
      else for (const line of reportLines(report)) context.print(line)
      return report.ok ? 0 : 1
    },
  }
}

async function examine({ dir, signal, wiring = [] }: CommandContext, options: LoadOptions): Promise<Report> {
  const loaded = await loadBundle(dir, { ...options, signal })
  const found = loaded.ok ? loaded.value.issues : loaded.error.issues.length > 0 ? loaded.error.issues : [{ severity: 'error' as const, code: loaded.error.code, message: loaded.error.message }]
  const issues = [...found, ...wiring]
  const errors = issues.filter(({ severity }) => severity === 'error').length
  const counts = { errors, warnings: issues.length - errors, issues }
  if (!loaded.ok) return { ok: false, dir, ...counts }
  const { manifest: { name, version }, skills, knowledge, stores } = loaded.value
  return { ok: errors === 0, dir, agent: { name, version, skills: skills.length, knowledge: knowledge.length, stores: stores.length }, ...counts }
}

function reportLines({ ok, agent, dir, errors, warnings, issues }: Report): readonly string[] {
  const group = (title: string, severity: BundleIssue['severity']): readonly string[] => {
    const lines = issues.filter((issue) => issue.severity === severity).map((issue) => `  ${issueLine(issue)}`)
    return lines.length === 0 ? [] : [`${title} (${lines.length})`, ...lines, '']
  }
  const counted = `${count(errors, 'error')}, ${count(warnings, 'warning')}`
  const summary = agent
    ? `${agent.name} ${agent.version}: ${count(agent.skills, 'skill')}, ${count(agent.knowledge, 'knowledge document')}, ${count(agent.stores, 'store')}`
    : `${dir} cannot be loaded`
  return [...group('Errors', 'error'), ...group('Warnings', 'warning'), `${ok ? '✓' : '✗'} ${summary} (${counted})`]
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
