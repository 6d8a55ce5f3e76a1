import {
  registry,
  slot,
  type AgentBundle,
  type BundleFailure,
  type BundleIssue,
  type CommandContext,
  type CommandOption,
  type JsonObject,
  type Result,
} from '@amodal/sdk'

import type { Edits } from './edits.ts'

export { readDocument, type AgentDocument } from './document.ts'

/**
 * The edits of each folder, and the files that are in use of it. Filled by whoever exchanges this
 * plugin in a running agent: the next one then knows the last good version of what is held back.
 * Without it a plugin that is set up anew knows of no edit.
 */
export type KeptEdits = Map<string, Edits>
export const KeptEdits = slot.kernel<KeptEdits>('kept-edits')

/** A file to write: its path from the agent's folder, and its text. */
export interface StarterFile {
  readonly path: string
  readonly text: string
}

/** Files that `amodal init` offers to write beside those of every new agent. */
export interface StarterOffer {
  /** What a person at the terminal is asked, such as `Test it in GitHub Actions?`. */
  readonly question: string
  /** They are written unless the command line or the person says no. */
  readonly isDefault?: boolean
  readonly files: readonly StarterFile[]
}

/** What a new agent may begin with, by the names that `amodal init --with NAME` takes. */
export const StarterOffers = registry<StarterOffer>('starter-offers')

/** What `amodal add KIND NAME` is called with. */
export interface PartRequest {
  /** Lower-case letters, digits, `_` and `-`. */
  readonly name: string
  readonly options: CommandContext['options']
  readonly signal: AbortSignal
}

/** The files of a part, and what to do with them next, a line each. */
export interface StarterPart {
  readonly files: readonly StarterFile[]
  readonly next?: readonly string[]
}

/** A kind of part that `amodal add` writes. */
export interface PartStarter {
  /** What it is, in a line. */
  readonly summary: string
  /** Options of this kind alone. */
  readonly options?: Readonly<Record<string, CommandOption>>
  /** @returns the part; or why there is none, in a line */
  part(request: PartRequest): Result<StarterPart, string> | Promise<Result<StarterPart, string>>
}

/**
 * Kinds of parts by the name that `amodal add` takes.
 *
 * @example
 * add(PartStarters, 'store', {
 *   summary: 'typed documents that it reads and writes',
 *   part: ({ name }) => ok({ files: [{ path: `stores/${name}.json`, text: '{…}' }] }),
 * })
 */
export const PartStarters = registry<PartStarter>('part-starters')

/** A kind of file for which editors have a schema. */
export interface FileSchema {
  /** Globs below the agent's folder, such as `stores/*.json`. */
  readonly files: readonly string[]
  /** JSON Schema, draft 7. */
  schema(): JsonObject
}

/**
 * Schemas of files by a name of their own, which `amodal schemas` writes for editors.
 *
 * @example
 * add(FileSchemas, 'automation', {
 *   files: ['automations/*.json'],
 *   schema: () => editorSchema(shape, { title: 'An automation' }),
 * })
 */
export const FileSchemas = registry<FileSchema>('file-schemas')

/**
 * The text of a schema as it is written for editors and published in the package `amodal`.
 *
 * @param name under which it is registered; its `$id` is `urn:amodal:schema:NAME` in every version
 */
export const schemaText = (name: string, kind: FileSchema): string => {
  const { $schema, ...rest } = kind.schema()
  const $id = `urn:amodal:schema:${name}`
  return `${JSON.stringify({ ...($schema !== undefined && { $schema }), $id, ...rest }, undefined, 2)}\n`
}

/** A folder of the second layout that a plugin reads. */
export interface FolderOwner {
  readonly folder: 'hooks' | 'intents'
}

/**
 * Folders that plugins read. The folder of protections that nobody reads stops the start.
 *
 * @example
 * add(FolderOwners, 'hooks', { folder: 'hooks' })
 */
export const FolderOwners = registry<FolderOwner>('folder-owners')

/**
 * How many parts a plugin has made of a folder, by the name of the folder: `amodal validate` counts
 * them.
 *
 * @example
 * add(FolderCounts, 'hooks', (bundle) => guardsOf(bundle).length)
 */
export const FolderCounts = registry<(bundle: AgentBundle) => number>('folder-counts')

// Readers of single files, for a plugin that reads texts which stand in for them.
export { readInstructions, refuseUnreadInstructions } from './instructions.ts'
export { readKnowledge } from './knowledge.ts'
export { readSkills } from './skills.ts'

/** Reads any folder, and checks it as `amodal validate --skip-test` does. */
export interface FolderCheck {
  /** @returns all that is wrong with it; nothing outside is asked */
  check(dir: string, signal: AbortSignal): Promise<readonly BundleIssue[]>
  /** Reads it, as far as this plugin reads files. */
  read(dir: string, signal: AbortSignal): Promise<Result<AgentBundle, BundleFailure>>
  /** The same bundle with what other plugins read of it, and with the issues that they find. */
  complete(bundle: AgentBundle): Promise<AgentBundle>
}
export const FolderCheck = slot.kernel<FolderCheck>('folder-check')

export { copyEnvironment, copyFolder, isInside } from './copy-folder.ts'

export {
  appliedFile,
  applyChange,
  CHANGES,
  newChangeId,
  recoverChange,
  textAt,
  writeWhole,
  type AppliedChange,
  type FileChange,
} from './folder-change.ts'

export { FileSources, type CombinedFiles, type FileSource, type OwnFiles } from './file-sources.ts'
