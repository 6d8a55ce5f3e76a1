import type { JsonObject } from '@amodal/sdk'
import { tables, type Generated, type Selectable } from '@amodal/sdk/database'
import type { RequiredVariable } from './publish/project.ts'

export type Tags = Readonly<Record<string, string | null>>

interface ToolTable {
  tenant: Generated<string>
  id: string
  name: string
  description: string
  tags: Tags
  deprecated: Generated<boolean>
  creator: string
  created_at: Generated<Date>
  updated_at: Generated<Date>
  /** The publication or deprecation that is in progress, until its lease ends. */
  operation: Generated<string | null>
  operation_until: Generated<Date | null>
}

interface VariableTable {
  tenant: Generated<string>
  tool: string
  name: string
  secret: boolean
  /** Sealed where it is a secret. */
  value: string
  updated_at: Generated<Date>
}

interface ArchiveTable {
  tenant: Generated<string>
  hash: string
  bytes: Uint8Array
}

interface VersionTable {
  tenant: Generated<string>
  tool: string
  major: number
  minor: number
  patch: number
  description: string
  language: 'typescript' | 'python'
  entry: string
  repo: string
  branch: string
  revision: string
  archive: string
  input: JsonObject
  output: JsonObject | null
  /** JSON: a list of {@link RequiredVariable}. */
  variables: readonly RequiredVariable[]
  lock_hash: string | null
  creator: string
  deprecated: Generated<boolean>
  deprecated_at: Generated<Date | null>
  created_at: Generated<Date>
}

export type InvocationStatus = 'running' | 'succeeded' | 'failed'

interface InvocationTable {
  tenant: Generated<string>
  id: string
  tool: string
  /** `null`: the head of a branch, which was tested. */
  version: string | null
  at: Generated<Date>
  ms: Generated<number | null>
  mode: string
  source: string
  principal: string
  conversation: string | null
  interaction: string | null
  simulation_run: string | null
  status: Generated<InvocationStatus>
  /** JSON, as the output. */
  input: string
  output: Generated<string | null>
  error_code: Generated<string | null>
  error: Generated<string | null>
  stack: Generated<string | null>
  search: Generated<string>
}

export interface Tables {
  tools_versions_tool: ToolTable
  tools_versions_variable: VariableTable
  tools_versions_archive: ArchiveTable
  tools_versions_version: VersionTable
  tools_versions_invocation: InvocationTable
}

export type ToolRow = Selectable<ToolTable>
export type VersionRow = Selectable<VersionTable>

export const db = tables<Tables>()
