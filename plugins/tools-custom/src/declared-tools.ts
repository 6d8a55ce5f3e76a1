import { hashOf, type AgentBundle } from '@amodal/sdk'
import { Issues, readJsonObject } from '@amodal/sdk/files'
import { candidatesIn, type Candidate } from './candidates.ts'
import type { CustomTool } from './custom-tool.ts'
import { readFields, readType } from './fields.ts'
import { tierOf } from './tool-tier.ts'

/** A tool as its files declare it. */
export interface DeclaredTool extends Pick<CustomTool, 'name'> {
  /** `undefined`: its code says whether a person is asked. */
  readonly tier: CustomTool['tier'] | undefined
  /** The model cannot call it; other tools can. */
  readonly hidden: boolean
  readonly ignoresTaint: boolean
  /** Of its files, and of the code that all tools share. */
  readonly digest: string
}

/**
 * The tools in the files of a bundle, without running anything of them: for files that nobody has
 * accepted yet.
 */
export function declaredTools(bundle: AgentBundle): readonly DeclaredTool[] {
  const { found, shared } = candidatesIn(bundle, new Issues())
  const common = shared.map(({ path, text }) => [path, text])
  return found.flatMap((candidate) => declared(candidate, common) ?? [])
}

function declared(
  { code, definition, files, name }: Candidate,
  shared: readonly (readonly string[])[],
): DeclaredTool | undefined {
  const issues = new Issues()
  const digest = hashOf([
    ...files.map(({ path, text }) => [path, text]),
    ...(code ? shared.map((file) => [...file]) : []),
  ])
  if (!definition)
    return code && { name, tier: undefined, hidden: false, ignoresTaint: false, digest }
  const json = readJsonObject(definition, issues)
  const type = json && readType(json, issues)
  const fields = json && type && readFields(json, type, issues)
  return (
    fields && {
      name: fields.name ?? name,
      ...tierOf(fields.confirm),
      ignoresTaint: fields.taint === 'ignore',
      digest,
    }
  )
}
