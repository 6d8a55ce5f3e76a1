import { err, failure, ok, type AgentBundle, type Failure, type Result } from '@amodal/sdk'
import { type Issues, type JsonFile, readJsonObject } from '@amodal/sdk/files'
import type { JsonObject } from '@amodal/sdk'
import { agentCodeBeside, type AgentCode, withoutConditions } from './agent-code.ts'
import { agentJsonBeside, readAgentFields, type AgentJson } from './agent-json.ts'
import { NO_GRANTS, type AgentGrants } from './grants.ts'

/**
 * Reads `agent.json` and `agent.ts` beside an `AGENT.md`. Code wins field by field.
 *
 * @returns nothing where there is neither; an error where one of them cannot be used: an agent
 *   never falls back to the other file, which may allow more
 */
export async function readAgentFiles(
  agentFile: string,
  bundle: AgentBundle,
  code: AgentCode | undefined,
  issues: Issues,
): Promise<Result<AgentJson | undefined, Failure>> {
  const [jsonFile, codeFile] = [
    agentJsonBeside(bundle, agentFile),
    agentCodeBeside(bundle, agentFile),
  ]
  const before = issues.errors
  const json = jsonFile && readJsonObject(jsonFile, issues)
  const fromJson = json && readAgentFields(json, issues)
  const unusable = (file: string): Result<never, Failure> =>
    err(failure('BAD_REPO', `${file} cannot be used: ${issues.sorted().at(-1)?.message ?? ''}`))
  if (jsonFile && (!fromJson || issues.errors > before)) return unusable(jsonFile.path)
  if (!codeFile) return ok(fromJson)
  const exported = code
    ? await code.read(bundle, codeFile)
    : err(failure('BAD_REPO', 'no plugin runs code of this folder'))
  if (!exported.ok) {
    issues.error('BAD_REPO', `it cannot be read: ${exported.error.message}`, {
      file: codeFile.path,
      line: 1,
      fix: 'correct it; agent.json does not count in its place',
    })
    return unusable(codeFile.path)
  }
  const lines = codeFile.text.split('\n')
  const written: JsonFile<JsonObject> = {
    file: codeFile.path,
    value: exported.value,
    lineOf: ([field]) =>
      Math.max(1, lines.findIndex((line) => line.trim().startsWith(`${String(field)}:`)) + 1),
  }
  const { fields, conditional } = withoutConditions(written)
  const fromCode = readAgentFields(fields, issues)
  if (!fromCode || issues.errors > before) return unusable(codeFile.path)
  for (const field of Object.keys(exported.value))
    if (json?.value[field] !== undefined)
      issues.warn('BAD_REPO', `\`${field}\` stands in agent.ts as well, which counts`, {
        file: json.file,
        line: json.lineOf([field]),
        fix: 'remove it here',
      })
  return ok({
    fields: { ...fromJson?.fields, ...fromCode.fields },
    grants: {
      ...joined(fromJson?.grants ?? NO_GRANTS, fromCode.grants, exported.value),
      ...(conditional.length > 0 && { conditional, code: codeFile.path }),
    },
  })
}

/** Each list of the code where the code has it, else that of the JSON. */
function joined(json: AgentGrants, code: AgentGrants, exported: JsonObject): AgentGrants {
  const has = (...fields: readonly string[]): boolean =>
    fields.some((field) => exported[field] !== undefined)
  return {
    tools: has('tools') ? code.tools : json.tools,
    skills: has('skills') ? code.skills : json.skills,
    connections: has('connections', 'mcp') ? code.connections : json.connections,
    subagents: has('subagents') ? code.subagents : json.subagents,
    stores: has('stores') ? code.stores : json.stores,
  }
}
