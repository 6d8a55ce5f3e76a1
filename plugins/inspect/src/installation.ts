import {
  messageOf,
  Sealer,
  Secrets,
  timeLimit,
  tryAsync,
  type Checkup,
  type CommandContext,
  type DatabaseProbe,
  type Generation,
  type InstallationContext,
} from '@amodal/sdk'
import { DatabaseProbes, InstallationChecks } from '@amodal/sdk/inspection'

/** ms that all checks of an installation may take. */
const CHECKS_MS = 60_000

/** The checks of plugins on the installation that they are configured for. */
export async function installationOf(
  generation: Generation,
  { start, dir, signal }: Pick<CommandContext, 'start' | 'dir' | 'signal'>,
): Promise<readonly Checkup[]> {
  const limit = timeLimit(CHECKS_MS, 'checking the installation', signal)
  // Only what reads `.env` and the master key is booted.
  const booted = await tryAsync(() => start({ only: ['secrets-env'] }), messageOf)
  const context = {
    dir,
    secrets: booted.ok ? booted.value.scope.find(Secrets) : undefined,
    sealer: booted.ok ? booted.value.scope.find(Sealer) : undefined,
    signal: limit,
  }
  const unread: readonly Checkup[] = booted.ok
    ? []
    : [{ title: 'Secrets and master key', ok: false, lines: booted.error.split('\n') }]
  const probes = await Promise.all(
    [...generation.registry(DatabaseProbes)].map(([name, probe]) =>
      tryAsync(() => probe(context), messageOf).then((probed): DatabaseProbe =>
        probed.ok ? probed.value : notProbed(name, probed.error),
      ),
    ),
  )
  try {
    const database = probes.flatMap((one) => one.database ?? [])[0]
    const checked = await checkAll(generation, { ...context, database })
    return [...unread, ...probes.flatMap(({ checkups }) => checkups), ...checked]
  } finally {
    for (const probe of probes) await probe.close()
  }
}

async function checkAll(
  generation: Generation,
  context: InstallationContext,
): Promise<readonly Checkup[]> {
  const checked: Checkup[] = []
  // One after another: they share one connection.
  for (const [name, check] of generation.registry(InstallationChecks)) {
    const outcome = await tryAsync(() => check(context), messageOf)
    checked.push(...(outcome.ok ? outcome.value : [notChecked(name, outcome.error)]))
  }
  return checked
}

const notChecked = (name: string, why: string): Checkup => ({
  title: name,
  ok: false,
  lines: [`it cannot be checked: ${why}`],
})

const notProbed = (name: string, why: string): DatabaseProbe => ({
  checkups: [notChecked(name, why)],
  database: undefined,
  close: async () => undefined,
})
