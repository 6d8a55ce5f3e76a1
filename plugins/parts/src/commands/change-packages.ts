import { err, fixOf, ok, type CommandOption, type Failure, type Result } from '@amodal/sdk'
import type { PkgContext } from '../pkg-command.ts'
import { issueLine } from '@amodal/sdk/files'
import { confirmAtTerminal, LOCK_FILE } from '@amodal/sdk/packages'
import { combineParts, type Combined, type InstalledPackage } from '../combine.ts'
import { commitPackages } from '../commit.ts'
import { PartsConflict, PartsNotAccepted } from '../errors.ts'
import type { FetchedPackage } from '../fetch-package.ts'
import { readAgentPackages, type AgentPackages, type LockedPackage } from '../locked.ts'
import type { NamedPackage } from '../named-packages.ts'
import { ownFiles } from '../own-files.ts'
import { folderOf, readStored } from '../package-store.ts'
import { changeLines, changesOf, textDiff, type PackageChange } from '../plan.ts'
import type { RegistryContext } from '../registry-context.ts'
import { resolvePackages } from '../resolve.ts'
import { parseSource, type Source } from '../source.ts'

/** Options of commands that may fetch something. */
export const FETCH_OPTIONS: Readonly<Record<string, CommandOption>> = {
  offline: { type: 'boolean', description: 'Fetch nothing: use tarballs that were fetched before' },
}
export const YES_OPTION: CommandOption = {
  type: 'boolean',
  short: 'y',
  description: 'Accept what the packages reach without being asked',
}

/** What a command wants to be installed. */
export interface Wish {
  readonly agent: AgentPackages
  /** Packages that amodal.json names then. */
  readonly named: readonly NamedPackage[]
  readonly manifestText: string
  /** Sources of packages that the lock does not have, or has otherwise. */
  readonly sources?: ReadonlyMap<string, Source>
  readonly fetched?: ReadonlyMap<string, FetchedPackage>
  /** Entries of the lock that stay where they fit. */
  readonly locked: ReadonlyMap<string, LockedPackage>
}

/** A wish that can be fulfilled, and what it changes. */
export interface Proposal {
  readonly wish: Wish
  readonly packages: ReadonlyMap<string, FetchedPackage>
  readonly changes: readonly PackageChange[]
  readonly combined: Combined
  readonly ignored: readonly { readonly name: string; readonly by: string }[]
}

/** What requests to registries are sent with. */
export const registryContext = (
  { env, signal, options, outbound }: PkgContext,
  { root }: AgentPackages,
): RegistryContext => ({ root, env, signal, outbound, offline: options['offline'] === true })

/** Runs a command on the packages of the agent, and prints why it fails. */
export async function withAgent(
  context: PkgContext,
  run: (agent: AgentPackages) => Promise<Result<void, Failure>>,
): Promise<number> {
  const agent = await readAgentPackages(context.dir)
  const done = agent.ok ? await run(agent.value) : agent
  if (done.ok) return 0
  const { code, message, fix } = done.error
  context.fail(`${code}: ${message}\nWhat to do: ${fixOf({ code, fix })}.`)
  return 1
}

/** Fetches and checks all that a wish needs; nothing is written. */
export async function propose(wish: Wish, context: PkgContext): Promise<Result<Proposal, Failure>> {
  const { agent, named, locked, fetched } = wish
  const sources = await sourcesOf(wish)
  if (!sources.ok) return sources
  const resolved = await resolvePackages(sources.value, {
    context: registryContext(context, agent),
    locked,
    ...(fetched && { fetched }),
  })
  if (!resolved.ok) return resolved
  const { packages, ignored } = resolved.value
  const combined = combineParts(await ownFiles(agent.root), installedOf(packages, named))
  const [problem] = combined.issues
  if (problem) return err(PartsConflict(issueLine(problem)))
  const changes = changesOf(agent.locked, packages)
  return ok({ wish, packages, changes, combined, ignored })
}

async function sourcesOf({
  agent: { root, locked },
  named,
  sources,
}: Wish): Promise<Result<ReadonlyMap<string, Source>, Failure>> {
  const all = new Map<string, Source>()
  for (const { name } of named) {
    const given = sources?.get(name)
    const source = given ? ok(given) : await parseSource(locked.get(name)?.from ?? name, root, root)
    if (!source.ok) return source
    all.set(name, source.value)
  }
  return ok(all)
}

const installedOf = (
  packages: ReadonlyMap<string, FetchedPackage>,
  named: readonly NamedPackage[],
): readonly InstalledPackage[] =>
  [...packages.values()].map(({ name, locked, contents }) => {
    const { use, line = 1 } = named.find((one) => one.name === name) ?? {}
    const { version, capabilities } = locked
    const folder = folderOf(name, locked)
    return { name, version, folder, contents, capabilities, line, ...(use && { use }) }
  })

/** Prints what a proposal changes: packages, files, capabilities, rules, and what stays local. */
export async function showProposal(
  { wish: { agent }, changes, combined, ignored }: Proposal,
  { print, signal }: PkgContext,
): Promise<void> {
  for (const change of changes) {
    const { name, before } = change
    const stored = before && (await readStored(agent.root, name, before, signal))
    for (const line of changeLines(change, stored?.ok === true ? stored.value : undefined))
      print(line)
  }
  const names = new Set(changes.flatMap(({ name, kind }) => (kind === 'removed' ? [] : [name])))
  for (const { part, from, overridden } of combined.origins)
    if (overridden && names.has(from))
      print(`    ${part} stays the agent folder's own, in place of the one of ${from}`)
  for (const { path, from, local, merged } of combined.tightenedAccess) {
    if (!names.has(from) || local === merged) continue
    print(`    ${path}: the stricter rule of the folder and of ${from} counts`)
    for (const line of textDiff(path, local, merged)) print(line)
  }
  for (const { name, by } of ignored)
    print(`    ${by} needs ${name}, which is no package of parts and is not installed`)
}

/**
 * Asks where a person has to accept something, and installs.
 *
 * @param needsAnswer whether a person has to accept the proposal
 */
export async function fulfil(
  proposal: Proposal,
  context: PkgContext,
  needsAnswer: boolean,
): Promise<Result<void, Failure>> {
  const { options, print, signal } = context
  const { wish, packages, changes } = proposal
  if (needsAnswer && options['yes'] !== true) {
    const answer = await confirmAtTerminal('Take this?', context)
    if (answer !== true)
      return err(
        PartsNotAccepted(
          answer === undefined
            ? 'a person has to accept what these packages reach, and nobody can be asked; nothing was written'
            : 'it was not accepted; nothing was written',
        ),
      )
  }
  const { agent, manifestText } = wish
  const done = await commitPackages(agent, { manifestText, packages }, signal)
  if (!done.ok) return done
  print(
    changes.length === 0
      ? `All packages are as ${LOCK_FILE} has them.`
      : `Done: amodal.json names the packages, and ${LOCK_FILE} belongs under version control.`,
  )
  return ok(undefined)
}
