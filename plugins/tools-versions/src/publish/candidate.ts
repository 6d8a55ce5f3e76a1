import { err, ok, type Failure, type JsonObject, type Result } from '@amodal/sdk'
import { isStorable } from '@amodal/sdk/data'
import type { RepoSource, ToolRepos } from '@amodal/plugin-tool-repos/tokens'
import {
  checkOf,
  valueTest,
  type CodeFailure,
  type CodeSandbox,
  type VersionCode,
} from '@amodal/plugin-tools-custom/tokens'
import { ToolProjectInvalid } from '../errors.ts'
import type { CodeFolders } from '../running/code-folders.ts'
import { hashOfFiles, lockHash, pack, readFolder } from './archive.ts'
import { readProject, type ToolProject } from './project.ts'
import type { Contract } from './schema-difference.ts'

/** The code at a commit, as it would be published. */
export interface Candidate {
  readonly commit: string
  readonly project: ToolProject
  readonly contract: Contract
  readonly code: VersionCode
  readonly archive: { readonly hash: string; readonly bytes: Uint8Array }
  readonly lockHash: string | null
}

interface Parts {
  readonly repos: ToolRepos
  readonly code: CodeSandbox
  readonly folders: CodeFolders
}

/** Six, as the page of tools says. */
const PARAMETERS = 6

/**
 * Takes the code of a tool at the head of a branch, checks it, and reads what it declares. Code
 * runs in the sandbox alone, from the archive that a version would have.
 *
 * @returns `TOOL_PROJECT_INVALID` with file and line where the code cannot be used
 */
export async function candidateOf(
  { repos, code, folders }: Parts,
  tool: string,
  { branch, ...source }: RepoSource & { readonly branch: string },
  signal: AbortSignal,
): Promise<Result<Candidate, Failure>> {
  const head = await repos.head(source, branch, signal)
  if (!head.ok) return head
  const commit = head.value
  const contents = await folders.withDraft(async (draft) => {
    const written = await repos.checkout(source, commit, tool, draft, signal)
    return written.ok ? readFolder(draft) : written
  })
  if (!contents.ok) return contents
  const project = readProject(contents.value, tool)
  if (!project.ok) return project
  const bytes = await pack(contents.value)
  if (!bytes.ok) return bytes
  const hash = hashOfFiles(contents.value)
  const folder = await folders.folder(hash, () => Promise.resolve(bytes))
  if (!folder.ok) return folder
  const { entry, language } = project.value
  const version = { folder: folder.value, entry, language, digest: hash }
  const contract = await contractOf(code, version, project.value, signal)
  if (!contract.ok) return contract
  return ok({
    commit,
    project: project.value,
    contract: contract.value,
    code: version,
    archive: { hash, bytes: bytes.value },
    lockHash: lockHash(contents.value),
  })
}

async function contractOf(
  sandbox: CodeSandbox,
  code: VersionCode,
  project: ToolProject,
  signal: AbortSignal,
): Promise<Result<Contract, Failure>> {
  const checked = await sandbox.check(code, signal)
  if (!checked.ok) return unusable(checked.error, code)
  const declared = await sandbox.describe(code, signal)
  if (!declared.ok) return unusable(declared.error, code)
  const { parameters } = declared.value
  if (parameters !== null && parameters !== PARAMETERS)
    return invalid(
      `${code.entry}: run_tool has ${parameters} parameters, and needs ${PARAMETERS}: tool_input, metadata, config, conversation, send_status_event, user_variables`,
    )
  const input = oneOf('input', project.input, declared.value.input)
  if (!input.ok) return input
  if (!input.value) return invalid('input: there is no JSON Schema, neither here nor in the code')
  const output = oneOf('output', project.output, declared.value.output)
  if (!output.ok) return output
  return usable({ input: input.value, output: output.value })
}

/** A schema may be in `tool.json`, in the code, or in both where they are equal. */
function oneOf(
  side: keyof Contract,
  written: JsonObject | undefined,
  exported: JsonObject | undefined,
): Result<JsonObject | undefined, Failure> {
  if (!written || !exported || JSON.stringify(written) === JSON.stringify(exported))
    return ok(written ?? exported)
  return invalid(`tool.json: ${side}: the code exports another schema; leave out one of them`)
}

function usable(contract: Contract): Result<Contract, Failure> {
  const { input, output } = contract
  if (input['type'] !== 'object') return invalid('input: its `type` must be "object"')
  for (const [side, schema] of Object.entries({ input, output })) {
    if (!schema) continue
    if (!isStorable(schema)) return invalid(`${side}: has a character that cannot be stored`)
    const compiled = side === 'input' ? checkOf(schema) : valueTest(schema)
    if (!compiled.ok) return invalid(`${side}: is no JSON Schema: ${compiled.error}`)
  }
  return ok(contract)
}

/** Where no sandbox holds, that is what the caller has to know. */
const unusable = (error: CodeFailure, { entry }: VersionCode): Result<never, Failure> => {
  if (error.code !== 'TOOL_FAILED' && error.file === undefined) return err(error)
  const place = error.file === undefined ? entry : `${error.file}:${error.line ?? 1}`
  return invalid(error.message.startsWith(place) ? error.message : `${place}: ${error.message}`)
}

const invalid = (problem: string): Result<never, Failure> => err(ToolProjectInvalid(problem))
