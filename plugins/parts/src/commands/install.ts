import { err, ok, type Failure, type Result } from '@amodal/sdk'
import type { PkgCommand, PkgContext } from '../pkg-command.ts'
import { PartsNotLocked } from '../errors.ts'
import { fetchPackage, restorePackage } from '../fetch-package.ts'
import type { AgentPackages } from '../locked.ts'
import { withNamed } from '../named-packages.ts'
import { storePackage } from '../package-store.ts'
import { parseSource } from '../source.ts'
import {
  FETCH_OPTIONS,
  fulfil,
  propose,
  registryContext,
  showProposal,
  withAgent,
  YES_OPTION,
} from './change-packages.ts'

/** `amodal pkg install [SOURCE]` */
export const installCommand: PkgCommand = {
  summary: 'Install a package of parts, or restore those of the lock',
  usage: 'amodal pkg install [SOURCE] [--yes] [--frozen] [--offline] [--dir PATH]',
  about: [
    'A package of parts brings skills, knowledge, connections, stores, tools, agents, automations, evals and pages as files. SOURCE is a folder, a tarball, a name with a version, or git+https://HOST/PATH.git#REF. You see its files and what it reaches before anything is written. No script of it runs.',
    'Without SOURCE the packages of amodal.lock are restored, each with exactly the files that the lock has. With --frozen, which is the default where CI is set, nothing else happens: a package that the lock does not have is an error.',
  ],
  examples: [
    ['amodal pkg install @acme/crm-parts', 'the newest version of the registry'],
    ['amodal pkg install ../our-parts --yes', 'a folder; you have read it'],
    ['amodal pkg install --frozen', 'in CI: what amodal.lock has, and nothing else'],
  ],
  options: {
    yes: YES_OPTION,
    frozen: { type: 'boolean', description: 'Change neither amodal.json nor amodal.lock' },
    ...FETCH_OPTIONS,
  },
  run(context) {
    const [source, ...more] = context.arguments
    const isFrozen = context.options['frozen'] === true
    if (more.length > 0 || (isFrozen && source !== undefined)) {
      context.fail(
        isFrozen
          ? 'With --frozen nothing new is installed: leave SOURCE out'
          : 'Name one source: amodal pkg install SOURCE',
      )
      return Promise.resolve(2)
    }
    return withAgent(context, (agent) =>
      source === undefined ? restore(agent, context) : install(source, agent, context),
    )
  },
}

async function install(
  text: string,
  agent: AgentPackages,
  context: PkgContext,
): Promise<Result<void, Failure>> {
  const source = await parseSource(text, agent.root, agent.root)
  if (!source.ok) return source
  const fetched = await fetchPackage(source.value, registryContext(context, agent))
  if (!fetched.ok) return fetched
  const { name } = fetched.value
  const { locked, named, manifestText } = agent
  const isNamed = named.some((one) => one.name === name)
  const proposal = await propose(
    {
      agent,
      named: isNamed ? named : [...named, { name, line: 1 }],
      manifestText: withNamed(manifestText, name, named),
      sources: new Map([[name, source.value]]),
      fetched: new Map([[name, fetched.value]]),
      locked: new Map([...locked].filter(([other]) => other !== name)),
    },
    context,
  )
  if (!proposal.ok) return proposal
  await showProposal(proposal.value, context)
  const { changes } = proposal.value
  const isNew = changes.some(({ kind, widened }) => kind === 'added' || widened.length > 0)
  return fulfil(proposal.value, context, isNew)
}

async function restore(agent: AgentPackages, context: PkgContext): Promise<Result<void, Failure>> {
  const isFrozen =
    context.options['frozen'] === true || !['', '0', 'false', undefined].includes(context.env['CI'])
  if (isFrozen) return restoreFrozen(agent, context)
  const { named, manifestText, locked } = agent
  const proposal = await propose({ agent, named, manifestText, locked }, context)
  if (!proposal.ok) return proposal
  await showProposal(proposal.value, context)
  const isNew = proposal.value.changes.some(
    ({ kind, widened }) => kind === 'added' || widened.length > 0,
  )
  return fulfil(proposal.value, context, isNew)
}

/** Restores what the lock has; a difference between it and amodal.json is an error. */
async function restoreFrozen(
  agent: AgentPackages,
  context: PkgContext,
): Promise<Result<void, Failure>> {
  const { locked, root } = agent
  const needed = neededPackages(agent)
  if (!needed.ok) return needed
  const extra = [...locked.keys()].find((name) => !needed.value.has(name))
  if (extra !== undefined)
    return err(
      PartsNotLocked(`amodal.lock has ${extra}, and amodal.json names nothing that needs it`),
    )
  for (const name of needed.value) {
    const entry = locked.get(name)
    if (!entry) continue
    if (entry.link === true)
      return err(PartsNotLocked(`${name} is a link to a folder, which --frozen does not take`))
    const restored = await restorePackage(name, entry, registryContext(context, agent))
    if (!restored.ok) return restored
    await storePackage(root, name, entry, restored.value.contents, context.signal)
  }
  context.print(`${needed.value.size} packages are as amodal.lock has them.`)
  return ok(undefined)
}

/** Names of all packages that amodal.json names or that those need, as far as the lock has them. */
function neededPackages({ named, locked }: AgentPackages): Result<ReadonlySet<string>, Failure> {
  const needed = new Set<string>()
  const waiting = named.map(({ name }) => name)
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (needed.has(name)) continue
    const entry = locked.get(name)
    if (!entry) {
      if (!named.some((one) => one.name === name)) continue // a library, which is not installed
      return err(PartsNotLocked(`amodal.json names ${name}, and amodal.lock does not have it`))
    }
    needed.add(name)
    waiting.push(...Object.keys(entry.dependencies))
  }
  return ok(needed)
}
