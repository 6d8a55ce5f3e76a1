import { PluginError, type AgentBundle } from '@amodal/sdk'
import type { Issues } from '@amodal/sdk/files'
import { agentCodeBeside, type AgentCode } from './agent-code.ts'
import { NO_GRANTS, type AgentGrants } from './grants.ts'
import { readAgentFiles } from './read-agent-files.ts'

/**
 * What the main agent may use, by the `agent.json` and `agent.ts` beside its `AGENT.md`. JSON that
 * cannot be read allows nothing; code that cannot be read stops the start.
 *
 * @returns `undefined` where there is none, and its folder is `agents/main`: it may use everything
 */
export async function readMainGrants(
  bundle: AgentBundle,
  code: AgentCode | undefined,
  issues: Issues,
): Promise<AgentGrants | undefined> {
  const file = bundle.instructions?.file
  if (file === undefined || !file.endsWith('/AGENT.md')) return undefined
  const read = await readAgentFiles(file, bundle, code, issues)
  if (!read.ok) {
    if (agentCodeBeside(bundle, file))
      throw new PluginError(
        'subagents',
        'hook',
        'bundle.load',
        new Error(`the agent is not started without what limits it: ${read.error.message}`),
        'BAD_REPO',
      )
    return NO_GRANTS
  }
  if (read.value) return read.value.grants
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
