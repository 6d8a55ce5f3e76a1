import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { tryAsync, type AgentBundle, type JsonObject } from '@amodal/sdk'
import { Issues, manifestFile, placeOf, shaped } from '@amodal/sdk/files'
import { z } from 'zod'
import { parsePath } from './gate/workspace-path.ts'
import type { Origin } from './snapshots/session-folder.ts'

/** A field of amodal.json, and the name under which `AgentBundle.parts` has what it says. */
const FIELD = 'workspace'
export const EMPTY = 'empty'

/** `remote`: of another plugin. */
const LEVELS = ['auto', 'virtual', 'process', 'remote', 'none'] as const
/** Which shell runs commands; `none`: there is no tool `bash`. */
export type ShellLevel = (typeof LEVELS)[number]

const shape = z.looseObject({
  workspace: z.strictObject({
    source: z.string().min(1).exactOptional(),
    bash: z.union([z.boolean(), z.enum(LEVELS)]).exactOptional(),
    quota: z
      .strictObject({
        bytes: z.int().min(1_024).max(4_294_967_296).exactOptional(),
        files: z.int().min(1).max(200_000).exactOptional(),
        seconds: z.int().min(1).max(600).exactOptional(),
      })
      .exactOptional(),
    network: z
      .array(z.string())
      .max(0, {
        error: 'commands in a workspace have no network in this release',
      })
      .exactOptional(),
  }),
})

export interface WorkspaceQuota {
  readonly bytes: number
  /** Files, folders and links. */
  readonly files: number
  /** Of one command. */
  readonly seconds: number
}

/** `workspace` of amodal.json. */
export interface WorkspaceSettings {
  /** `empty`, or a folder of the agent that is copied into each new workspace. */
  readonly source: string
  readonly bash: ShellLevel
  readonly quota: WorkspaceQuota
}

const QUOTA: WorkspaceQuota = { bytes: 64 * 1_048_576, files: 10_000, seconds: 120 }

/**
 * Reads `workspace` of amodal.json; every problem is named with its line.
 *
 * @returns the bundle with the settings, or `undefined` where the field is missing
 */
export async function readSettings(bundle: AgentBundle): Promise<AgentBundle | undefined> {
  if ((bundle.manifest.raw['workspace'] ?? null) === null) return undefined
  const issues = new Issues()
  const json = await manifestFile(bundle)
  const block = shaped(shape, json, [], issues)?.workspace
  const { source = EMPTY, bash = true, quota } = block ?? {}
  const problem = block && (await sourceProblem(bundle, source))
  if (problem !== undefined)
    issues.error('BAD_REPO', `\`workspace.source\` ${problem}`, {
      ...placeOf(json, [FIELD, 'source']),
      fix: 'name a folder of the agent, such as "workspace", or write "empty"',
    })
  const settings: JsonObject = { source, bash: levelOf(bash), quota: { ...QUOTA, ...quota } }
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: { ...bundle.parts, ...(block && problem === undefined && { [FIELD]: settings }) },
  }
}

/** What `readSettings` has read; `undefined` where the agent declares no workspace. */
export const settingsOf = ({ parts }: Pick<AgentBundle, 'parts'>): WorkspaceSettings | undefined =>
  parts[FIELD] as unknown as WorkspaceSettings | undefined // written by `readSettings`

/** What a workspace of this agent begins with, and the most that it may hold. */
export function originOf(bundle: AgentBundle): Origin {
  const { source, quota } = settingsOf(bundle) ?? { source: EMPTY, quota: QUOTA }
  const { root } = bundle
  return {
    quota,
    source: source === EMPTY || root === undefined ? undefined : { root, folder: source },
  }
}

function levelOf(bash: boolean | ShellLevel): ShellLevel {
  if (typeof bash === 'string') return bash
  return bash ? 'auto' : 'none'
}

async function sourceProblem({ root }: AgentBundle, source: string): Promise<string | undefined> {
  if (source === EMPTY) return undefined
  const names = parsePath(source)
  if (!names.ok) return `is no folder of the agent: ${names.error.message}`
  const [first] = names.value
  if (first === undefined || first.startsWith('.')) return 'is no folder inside of the agent'
  if (root === undefined) return 'needs an agent that has a folder'
  const stats = await tryAsync(
    () => lstat(join(root, ...names.value)),
    () => undefined,
  )
  return stats.ok && stats.value.isDirectory() ? undefined : 'is no folder of the agent'
}
