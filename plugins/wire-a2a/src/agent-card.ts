import type { AgentBundle, JsonObject } from '@amodal/sdk'

export const PROTOCOL_VERSION = '1.0'
/** Where both bindings are mounted. */
export const A2A_PATH = '/a2a'

interface CardOf {
  readonly bundle: AgentBundle | undefined
  /** Of this server, as the client has called it. */
  readonly origin: string
  /** A credential is asked for. */
  readonly secured: boolean
  readonly pushes: boolean
  /** For those who have shown a credential: what strangers are not told. */
  readonly extended: boolean
}

/**
 * The agent card, made of `amodal.json` and the agent's skills.
 *
 * @see https://a2a-protocol.org/v1.0.0/specification
 */
export function agentCard({ bundle, origin, secured, pushes, extended }: CardOf): JsonObject {
  const { name = 'agent', version = '0.0.0', description = '' } = bundle?.manifest ?? {}
  return {
    name,
    description: description === '' ? `The agent ${name}` : description,
    version,
    supportedInterfaces: [
      binding(`${origin}${A2A_PATH}`, 'JSONRPC'),
      binding(`${origin}${A2A_PATH}/v1`, 'HTTP+JSON'),
    ],
    capabilities: { streaming: true, pushNotifications: pushes, extendedAgentCard: true },
    defaultInputModes: ['text/plain', 'application/json', ...IMAGE_TYPES],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: skillsOf(bundle, name, description, extended),
    ...(secured && {
      securitySchemes: {
        bearer: {
          httpAuthSecurityScheme: { scheme: 'Bearer', description: 'A key or token of the server' },
        },
      },
      securityRequirements: [{ schemes: { bearer: { list: ['chat'] } } }],
    }),
  }
}

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

const binding = (url: string, protocolBinding: string): JsonObject => ({
  url,
  protocolBinding,
  protocolVersion: PROTOCOL_VERSION,
})

/** An agent without skills of its own has one: to talk. */
function skillsOf(
  bundle: AgentBundle | undefined,
  name: string,
  description: string,
  extended: boolean,
): readonly JsonObject[] {
  const skills = (bundle?.skills ?? []).map((skill) => ({
    id: skill.name,
    name: skill.name,
    description: skill.description,
    tags: ['skill'],
    ...(extended && skill.trigger !== '' && { examples: [skill.trigger] }),
  }))
  return skills.length > 0
    ? skills
    : [{ id: 'chat', name, description: description || 'Answers messages', tags: ['chat'] }]
}
