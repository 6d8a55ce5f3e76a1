import { readFile, stat } from 'node:fs/promises'
import { err, messageOf, ok, tryAsync, type Failure, type Result } from '@amodal/sdk'
import { beyond, capabilityText, mapKinds, type PartCapabilities } from './capability-lists.ts'
import { contentsIntegrity, LIMITS, treeHash, type Contents } from './contents.ts'
import { PartsNotFound, PartsRefused, PartsTampered, PartsUndeclared, withFix } from './errors.ts'
import { readFolder } from './folder-contents.ts'
import { fetchCommit } from './git.ts'
import type { LockedPackage } from './locked.ts'
import { readPackageManifest, type PackageManifest } from './package-manifest.ts'
import { readStored } from './package-store.ts'
import { partOf, refusedPath } from './part-names.ts'
import { chooseVersion, fetchTarball, publicationsOf, type Published } from './registry.ts'
import type { RegistryContext } from './registry-context.ts'
import { pathOf, type Source } from './source.ts'
import { readTarball, tarballIntegrity } from './tarball.ts'
import { usedCapabilities } from './used-capabilities.ts'

/** A package whose files are here and were checked; nothing of it is written yet. */
export interface FetchedPackage {
  readonly name: string
  readonly locked: LockedPackage
  readonly contents: Contents
  readonly manifest: PackageManifest
  /** The folder from which paths of its dependencies count; only of a folder. */
  readonly base?: string
}

type Origin = Pick<LockedPackage, 'from' | 'resolved' | 'integrity' | 'commit'> & {
  readonly base?: string
}

/** Fetches a package from a source, and checks what it holds. */
export async function fetchPackage(
  source: Source,
  context: RegistryContext,
): Promise<Result<FetchedPackage, Failure>> {
  switch (source.kind) {
    case 'folder':
      return fromFolder(source, context)
    case 'tarball':
      return fromTarball(source)
    case 'git':
      return fromGit(source, context)
    case 'registry': {
      const publications = await publicationsOf(source.name, context)
      if (!publications.ok) return publications
      const published = chooseVersion(publications.value, [source.range])
      return published
        ? fromRegistry(source.name, published, source.from, context)
        : err(PartsNotFound(`${source.name} has no version that fits "${source.range}"`))
    }
  }
}

async function fromFolder(
  { path, from }: Source & { kind: 'folder' },
  { signal }: RegistryContext,
): Promise<Result<FetchedPackage, Failure>> {
  const read = await readFolder(path, signal)
  if (!read.ok) return err(PartsRefused(`${path}: ${read.error}`))
  const integrity = contentsIntegrity(read.value)
  return checkPackage(read.value, { from, resolved: from, integrity, base: path }, path)
}

async function fromTarball({
  path,
  from,
}: Source & { kind: 'tarball' }): Promise<Result<FetchedPackage, Failure>> {
  const packed = await tryAsync(async () => {
    const { size } = await stat(path)
    if (size > LIMITS.packed) throw new Error(`it has more than ${LIMITS.packed} bytes`)
    return readFile(path)
  }, messageOf)
  if (!packed.ok) return err(PartsRefused(`${path}: ${packed.error}`))
  return unpacked(packed.value, { from, resolved: from }, path)
}

async function fromGit(
  source: Source & { kind: 'git' },
  context: RegistryContext,
): Promise<Result<FetchedPackage, Failure>> {
  const fetched = await fetchCommit(source, context)
  if (!fetched.ok) return fetched
  const { commit, archive } = fetched.value
  const read = await readTarball(archive)
  if (!read.ok) return err(PartsRefused(`${source.from}: ${read.error}`))
  const integrity = contentsIntegrity(read.value)
  const resolved = `git+${source.url}#${commit}`
  return checkPackage(read.value, { from: source.from, resolved, integrity, commit }, source.from)
}

/** Fetches a version of a registry; one without a strong hash of its tarball is refused. */
export async function fromRegistry(
  name: string,
  { version, tarball, integrity }: Published,
  from: string,
  context: RegistryContext,
): Promise<Result<FetchedPackage, Failure>> {
  const what = `${name}@${version}`
  if (integrity === undefined)
    return err(
      withFix(
        PartsRefused(`the registry has no integrity (sha512) of ${what}`),
        'ask whoever runs the registry to add it; without it nobody can say what was published',
      ),
    )
  const packed = await fetchTarball({ name, version, tarball }, integrity, context)
  if (!packed.ok) return packed
  const fetched = await unpacked(packed.value, { from, resolved: tarball }, what)
  if (!fetched.ok) return fetched
  const { name: own, locked } = fetched.value
  return own === name && locked.version === version
    ? fetched
    : err(PartsRefused(`${what} is ${own}@${locked.version} by its package.json`))
}

async function unpacked(
  packed: Uint8Array,
  origin: Omit<Origin, 'integrity'>,
  what: string,
): Promise<Result<FetchedPackage, Failure>> {
  const read = await readTarball(packed)
  return read.ok
    ? checkPackage(read.value, { ...origin, integrity: tarballIntegrity(packed) }, what)
    : err(PartsRefused(`${what}: ${read.error}`))
}

function checkPackage(
  contents: Contents,
  { base, ...origin }: Origin,
  what: string,
): Result<FetchedPackage, Failure> {
  const manifest = readPackageManifest(contents)
  if (!manifest.ok) return err(PartsRefused(`${what}: ${manifest.error}`))
  const { name, version, dependencies } = manifest.value
  for (const { path } of contents) {
    const why = refusedPath(path)
    if (why !== undefined) return err(PartsRefused(`${name}@${version} brings ${path}: ${why}`))
  }
  const hasParts = contents.some(({ path }) => partOf(path) !== undefined)
  if (!hasParts && Object.keys(dependencies).length === 0)
    return err(PartsRefused(`${name}@${version} brings no part`))
  const capabilities = acceptable(manifest.value, contents)
  if (!capabilities.ok) return capabilities
  const locked: LockedPackage = {
    version,
    ...origin,
    tree: treeHash(contents),
    capabilities: capabilities.value,
    dependencies,
  }
  return ok({
    name,
    locked,
    contents,
    manifest: manifest.value,
    ...(base !== undefined && { base }),
  })
}

/** What a package declares, else what its files use; less declared than used is refused. */
function acceptable(
  { name, version, amodal }: PackageManifest,
  contents: Contents,
): Result<PartCapabilities, Failure> {
  const used = usedCapabilities(contents)
  if (amodal?.capabilities === undefined) return ok(used)
  const { capabilities } = amodal
  const declared = mapKinds((kind) => capabilities[kind] ?? [])
  const more = beyond(used, declared)
  return more.length === 0
    ? ok(declared)
    : err(
        PartsUndeclared(
          `${name}@${version} does more than its package.json declares: it ${more.map(capabilityText).join('; ')}`,
        ),
      )
}

/**
 * The files of a package that amodal.lock has: those that are stored, else fetched from where they
 * came from. Other files than those of the lock are refused.
 */
export async function restorePackage(
  name: string,
  locked: LockedPackage,
  context: RegistryContext,
): Promise<Result<FetchedPackage, Failure>> {
  const stored = await readStored(context.root, name, locked, context.signal)
  const fetched = stored.ok
    ? checkPackage(stored.value, originOf(locked), name)
    : await refetch(name, locked, context)
  if (!fetched.ok) return fetched
  const { tree, integrity } = fetched.value.locked
  if (
    fetched.value.name !== name ||
    tree !== locked.tree ||
    (!stored.ok && integrity !== locked.integrity)
  )
    return err(
      withFix(
        PartsTampered(`${name} from ${locked.resolved} has other files than amodal.lock names`),
        `see what changed with \`amodal pkg diff ${name}\`, and take it with \`amodal pkg update ${name}\``,
      ),
    )
  return ok({ ...fetched.value, locked })
}

const originOf = ({ from, resolved, integrity, commit }: LockedPackage): Origin => ({
  from,
  resolved,
  integrity,
  ...(commit !== undefined && { commit }),
})

async function refetch(
  name: string,
  { from, resolved, integrity, commit, version }: LockedPackage,
  context: RegistryContext,
): Promise<Result<FetchedPackage, Failure>> {
  if (commit !== undefined) {
    const url = resolved.replace(/^git\+/, '').replace(/#.*$/, '')
    return fromGit({ kind: 'git', from, url, ref: commit }, context)
  }
  if (!resolved.startsWith('file:'))
    return fromRegistry(
      name,
      { version, tarball: resolved, integrity, manifest: {} },
      from,
      context,
    )
  const path = pathOf(resolved, context.root)
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true
  return isFolder
    ? fromFolder({ kind: 'folder', from, path }, context)
    : fromTarball({ kind: 'tarball', from, path })
}
