import type { AgentBundle } from '@amodal/sdk'
import type { Issues } from '@amodal/sdk/files'
import { agentJsonBeside, readAgentJson } from './agent-json.ts'
import { NO_GRANTS, type AgentGrants } from './grants.ts'

/**
 * What the main agent may use, by the `agent.json` beside its `AGENT.md`. One that cannot be read
 * allows nothing.
 *
 * @returns `undefined` where there is none, and its folder is `agents/main`: it may use everything
 */
export function readMainGrants(bundle: AgentBundle, issues: Issues): AgentGrants | undefined {
  const file = bundle.instructions?.file
  if (file === undefined || !file.endsWith('/AGENT.md')) return undefined
  const json = agentJsonBeside(bundle, file)
  if (json) return readAgentJson(json, issues)?.grants ?? NO_GRANTS
  const folder = file.replace(/\/AGENT\.md$/, '')
  if (bundle.issues.some((issue) => issue.file === `${folder}/agent.json`)) return NO_GRANTS
  if (!folder.endsWith('/default')) return undefined
  issues.warn('BAD_REPO', 'the agent has no agent.json, and may use no tools', {
    file,
    line: 1,
    fix: `write ${folder}/agent.json, with "tools", "skills", "connections" and "stores"`,
  })
  return NO_GRANTS
}
