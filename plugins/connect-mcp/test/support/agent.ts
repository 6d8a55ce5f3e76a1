import { onTestFinished } from 'vitest'
import { startTestAgent, type AgentParts, type TestAgent } from './start.ts'

export {
  everything,
  filesOf,
  idOf,
  modern,
  node,
  odd,
  ROOT,
  until,
  type TestAgent,
  type Turn,
} from './start.ts'

/** An agent that ends with its test. */
export async function agentWith(parts: AgentParts): Promise<TestAgent> {
  const agent = await startTestAgent(parts)
  onTestFinished(() => agent.close())
  return agent
}
