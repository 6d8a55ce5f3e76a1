import { type Command, Database, Erasers, isId, principalId, tenantId } from '@amodal/sdk'
import { eraseContent, type ErasureFigures } from '@amodal/sdk/database'
import { cleanUp } from './clean-up.ts'

/** `amodal ops erase --principal NAME [--tenant T] [--dry-run]`. */
export const eraseCommand: Command = {
  summary: 'Erase what a person has said and what came of it',
  usage: 'amodal ops erase --principal NAME [--tenant T] [--dry-run] [--json]',
  about: [
    'Sessions with all that was forked from them and worked for them, documents of stores and of knowledge that they wrote, files that they sent, notes, names of keys,',
    'and the text of lines in the audit log, whose numbers and hashes stay. Afterwards tables are rewritten, so that no bytes are left in them.',
    'Stop the servers first: a session that is at work is refused, and one that is in memory may be written again.',
  ],
  examples: [
    ['amodal ops erase --principal jwt:anna --dry-run', 'say what would go'],
    ['amodal ops erase --principal jwt:anna --tenant acme', 'erase it'],
  ],
  options: {
    principal: { type: 'string', description: 'Whose content, as `ops audit show` names them' },
    tenant: { type: 'string', description: 'In one tenant; in all where it is left out' },
    'dry-run': { type: 'boolean', description: 'Say what would go, and change nothing' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ options, print, fail, signal, start }) {
    const { principal, tenant } = options
    if (typeof principal !== 'string' || principal === '') {
      fail('say whose content is to go: amodal ops erase --principal NAME')
      return 2
    }
    if (typeof tenant === 'string' && !isId(tenant)) {
      fail(`--tenant: "${tenant}" is no name of a tenant`)
      return 2
    }
    const kernel = await start({ only: ['erasure'], without: ['http'] })
    const database = kernel.scope.find(Database)
    const erasers = kernel.current().registry(Erasers)
    if (!database) {
      fail('NOT_FOUND: this agent keeps everything in memory; there is nothing to erase')
      return 1
    }
    const dryRun = options['dry-run'] === true
    const done = await eraseContent(
      database,
      erasers,
      {
        principal: principalId(principal),
        ...(typeof tenant === 'string' && { tenant: tenantId(tenant) }),
      },
      { dryRun, signal },
    )
    if (!done.ok) {
      fail(`${done.error.code}: ${done.error.message}`)
      return 1
    }
    const cleaned = dryRun ? undefined : await cleanUp(database, erasers, done.value.tables, signal)
    print(
      options['json'] === true
        ? JSON.stringify({ dry_run: dryRun, ...done.value })
        : textOf(done.value, dryRun),
    )
    if (cleaned?.ok !== false) return 0
    fail(
      `${cleaned.error.code}: it is erased, and bytes of it may be left in files until this is run again: ${cleaned.error.message}`,
    )
    return 1
  },
}

function textOf({ sessions, parts }: ErasureFigures, dryRun: boolean): string {
  const lines = parts.map(
    ({ name, removed, unknown }) =>
      `  ${name}: ${removed}${unknown > 0 ? `, and ${unknown} left that name the person or cannot be told apart: look at them` : ''}`,
  )
  return [`${dryRun ? 'Would erase' : 'Erased'} (${sessions} sessions):`, ...lines].join('\n')
}
