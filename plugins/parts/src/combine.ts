import { isObject, type BundleFile, type BundleIssue } from '@amodal/sdk'
import { compare, Issues, parseJson, readJsonObject } from '@amodal/sdk/files'
import { readAccess } from '@amodal/plugin-connections/tokens'
import { accessText, mergeAccess } from './access/merge-access.ts'
import type { PartCapabilities } from './capability-lists.ts'
import { textOfFile, type Contents } from './contents.ts'
import { MANIFEST } from './locked.ts'
import { partOf, usesPart } from './part-names.ts'
import { toolName } from './used-capabilities.ts'

/** An installed package whose files were compared with the lock. */
export interface InstalledPackage {
  readonly name: string
  readonly version: string
  /** Where its files stand, from the agent folder. */
  readonly folder: string
  readonly contents: Contents
  readonly capabilities: PartCapabilities
  /** The parts to take; left out: all. */
  readonly use?: readonly string[]
  /** The line of amodal.json that names it, or the package that needs it. */
  readonly line: number
}

/** Which package a part comes from, and what the folder has in its place. */
export interface PartOrigin {
  readonly part: string
  readonly from: string
  /** The agent folder has a part of that name, which counts. */
  readonly overridden: boolean
}

/** What packages and the agent folder come to together. */
export interface Combined {
  readonly files: readonly BundleFile[]
  readonly issues: readonly BundleIssue[]
  readonly origins: readonly PartOrigin[]
  /** Packages of tools by the names of the tools. */
  readonly tools: Readonly<Record<string, string>>
  /** Access rules of the agent folder that a package has tightened, by their path. */
  readonly tightenedAccess: readonly TightenedAccess[]
}

export interface TightenedAccess {
  readonly path: string
  readonly from: string
  readonly local: string
  readonly merged: string
}

/**
 * Adds the parts of packages to the files of an agent folder. A part of the folder counts in place
 * of a part of the same name; of a connection each file does, and access rules of both count. A
 * part that two packages bring is left out, with an error.
 */
export function combineParts(
  own: readonly BundleFile[],
  packages: readonly InstalledPackage[],
): Combined {
  return new Combination(own).combine(packages)
}

const ACCESS = /^connections\/[^/]+\/access\.json$/

class Combination {
  readonly #issues = new Issues()
  readonly #files: Map<string, BundleFile>
  /** Of the agent folder. */
  readonly #local: ReadonlySet<string>
  readonly #owners = new Map<string, InstalledPackage>()
  readonly #origins: PartOrigin[] = []
  readonly #tools: Record<string, string> = {}
  readonly #tightened: TightenedAccess[] = []

  constructor(own: readonly BundleFile[]) {
    this.#files = new Map(own.map((file) => [file.path, file]))
    this.#local = new Set(own.flatMap(({ path }) => partOf(path) ?? []))
  }

  combine(packages: readonly InstalledPackage[]): Combined {
    const refused = this.#claim(packages)
    for (const installed of packages) this.#add(installed, refused)
    return {
      files: [...this.#files.values()].toSorted((a, b) => compare(a.path, b.path)),
      issues: this.#issues.sorted(),
      origins: this.#origins.toSorted((a, b) => compare(a.part, b.part)),
      tools: this.#tools,
      tightenedAccess: this.#tightened,
    }
  }

  /** @returns parts that two packages bring */
  #claim(packages: readonly InstalledPackage[]): ReadonlySet<string> {
    const refused = new Set<string>()
    for (const installed of packages) {
      const parts = partsOf(installed)
      this.#checkUse(installed, parts)
      for (const part of parts) {
        const owner = this.#owners.get(part)
        if (owner === undefined) this.#owners.set(part, installed)
        else if (!this.#local.has(part) && !refused.has(part)) {
          refused.add(part)
          this.#issues.error(
            'PARTS_CONFLICT',
            `${owner.name} and ${installed.name} both bring ${part}, and neither is taken`,
            {
              file: MANIFEST,
              line: installed.line,
              fix: `name the parts to take as in { "package": "${installed.name}", "use": […] }, or write ${part} into the agent folder`,
            },
          )
        }
      }
    }
    return refused
  }

  #checkUse({ name, use, line, contents }: InstalledPackage, parts: ReadonlySet<string>): void {
    const all = partNames(contents)
    for (const wanted of use ?? []) {
      if ([...parts].some((part) => usesPart([wanted], part))) continue
      this.#issues.error('BAD_REPO', `${name} brings no part "${wanted}"`, {
        file: MANIFEST,
        line,
        fix: `use one of: ${[...all].toSorted(compare).join(', ')}`,
      })
    }
  }

  #add(installed: InstalledPackage, refused: ReadonlySet<string>): void {
    const { name, contents } = installed
    for (const part of partsOf(installed))
      if (!refused.has(part))
        this.#origins.push({ part, from: name, overridden: this.#local.has(part) })
    for (const file of contents) {
      const part = partOf(file.path)
      const text = part === undefined ? undefined : textOfFile(file)
      if (part === undefined || text === undefined || refused.has(part)) continue
      if (!usesPart(installed.use, part)) continue
      if (part.startsWith('connections.')) this.#addToConnection(name, file.path, text)
      else if (!this.#local.has(part)) this.#addFile(name, file.path, text)
    }
  }

  #addFile(name: string, path: string, text: string): void {
    this.#files.set(path, { path, text })
    const [, tool] = /^tools\/([^/]+\.json|[^/]+(?=\/tool\.json$))/.exec(path) ?? []
    const json = tool === undefined ? undefined : parseJson(text)
    if (tool !== undefined && json?.ok === true && isObject(json.value.value))
      this.#tools[toolName(tool, json.value.value)] = name
  }

  #addToConnection(name: string, path: string, text: string): void {
    const local = this.#files.get(path)
    if (local === undefined) {
      this.#files.set(path, { path, text })
      return
    }
    if (ACCESS.test(path)) this.#tighten(name, local, { path, text })
  }

  /** A file that cannot be read stays: the connection is left out with what is wrong with it. */
  #tighten(from: string, local: BundleFile, file: BundleFile): void {
    const { path } = local
    const own = readRules(local)
    if (!own) return
    const issues = new Issues()
    const brought = readRules(file, issues)
    if (!brought) {
      const [first] = issues.sorted()
      this.#issues.error(
        'BAD_REPO',
        `the rules of ${from} cannot be used: ${first?.message ?? ''}`,
        {
          file: path,
          line: 1,
          fix: `update ${from}, or report it to its author`,
        },
      )
      this.#files.set(path, file)
      return
    }
    const { rules, conflicts } = mergeAccess(own, brought)
    for (const conflict of conflicts)
      this.#issues.error(
        'PARTS_CONFLICT',
        `the rules here and those of ${from} differ: ${conflict}`,
        {
          file: path,
          line: 1,
          fix: `change the rules here so that they agree with ${from}`,
        },
      )
    const merged = accessText(rules)
    this.#files.set(path, { path, text: conflicts.length > 0 ? '{ "conflict": true }' : merged })
    this.#tightened.push({ path, from, local: accessText(own), merged })
  }
}

function readRules(file: BundleFile, issues = new Issues()) {
  const json = readJsonObject(file, issues)
  return json && readAccess(json, issues)
}

const partNames = (contents: Contents): ReadonlySet<string> =>
  new Set(contents.flatMap(({ path }) => partOf(path) ?? []))

/** The parts that are taken of a package. */
export const partsOf = ({ contents, use }: InstalledPackage): ReadonlySet<string> =>
  new Set([...partNames(contents)].filter((part) => usesPart(use, part)))
