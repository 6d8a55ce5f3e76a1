import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command, CommandContext } from '@amodal/sdk'
import { ACCEPT, acceptLoss, type Damage, readDamage } from './damage.ts'
import { KEPT_LOG } from './folder.ts'
import { MEMORY } from './opening.ts'

const ACTIONS = ['status', 'accept-loss']

/**
 * `amodal ops database [status | accept-loss]`: reads and removes the notice in the folder, which
 * works beside a running server, too.
 *
 * @param dataDir absolute, or `memory://`
 */
export const databaseCommand = (dataDir: string): Command => ({
  summary: 'Show what is damaged in the embedded database, and accept its loss',
  usage: 'amodal ops database [status | accept-loss] [--json]',
  about: [
    'A database that has lost something is only read: writes are answered with DATABASE_DAMAGED until a backup of its folder is restored, or the loss is accepted here.',
    'A server that runs meanwhile writes again at once.',
  ],
  examples: [
    ['amodal ops database', 'say whether anything is damaged'],
    [ACCEPT, 'go on with what is left'],
  ],
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  run: (context) => Promise.resolve(run(dataDir, context)),
})

function run(dataDir: string, context: CommandContext): number {
  const [action = 'status', ...more] = context.arguments
  if (!ACTIONS.includes(action) || more.length > 0) {
    context.fail(`"${[action, ...more].join(' ')}" is no action: ${ACTIONS.join(', ')}`)
    return 2
  }
  const damage = dataDir === MEMORY ? undefined : readDamage(dataDir)
  const accepted = action === 'accept-loss' && damage !== undefined
  const keptLog = join(dataDir, KEPT_LOG)
  if (accepted) acceptLoss(dataDir)
  const log = damage && existsSync(keptLog) ? keptLog : undefined
  context.print(
    context.options['json'] === true
      ? JSON.stringify({ dataDir, damage: damage?.damage ?? [], accepted, log: log ?? null })
      : textOf(dataDir, damage, accepted, log),
  )
  return 0
}

function textOf(
  dataDir: string,
  damage: Damage | undefined,
  accepted: boolean,
  log: string | undefined,
): string {
  if (!damage) return `Nothing is known to be damaged in ${dataDir}.`
  const copy =
    log === undefined
      ? []
      : [
          accepted
            ? `The write-ahead log as it was found is in ${log} until the next start: copy it now if you may want it.`
            : `The write-ahead log as it was found is in ${log}.`,
        ]
  return [
    `Damaged in ${dataDir}, found ${damage.found}:`,
    ...damage.damage.map((one) => `  ${one}`),
    ...copy,
    accepted
      ? 'The loss is accepted: the database is written again.'
      : `It is only read. Restore a backup of the folder, or accept the loss: ${ACCEPT}`,
  ].join('\n')
}
