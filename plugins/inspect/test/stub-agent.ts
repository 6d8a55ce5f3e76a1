import {
  err,
  failure,
  ok,
  type Agent,
  type AgentBundle,
  type CompiledPrompt,
  type Failure,
  type Result,
  type ToolList,
} from '@amodal/sdk'

export const bundle: AgentBundle = {
  hash: 'h',
  root: '/agent',
  manifest: { name: 'ops', version: '1.0.0', models: {}, limits: {}, raw: {} },
  instructions: undefined,
  skills: [
    {
      name: 'triage',
      description: 'Sorts',
      trigger: 'when',
      body: 'b',
      file: 'skills/triage/SKILL.md',
    },
  ],
  knowledge: [{ name: 'zones', title: 'Zones', body: 'b', file: 'knowledge/zones.md' }],
  stores: [],
  files: [],
  references: [],
  issues: [],
  parts: {},
}
export const prompt: CompiledPrompt = {
  text: '# You\n\nYou are ops.',
  tokens: 5,
  window: 1_000,
  sections: [
    {
      id: 'core',
      title: 'You',
      body: 'You are ops.',
      weight: 10,
      category: 'system',
      plugin: 'prompt',
    },
    {
      id: 'skills',
      title: 'Skills',
      body: 'triage',
      weight: 30,
      category: 'skill',
      plugin: 'skills',
      parts: [{ name: 'triage', chars: 40, file: 'skills/triage/SKILL.md' }],
    },
  ],
}

/** An agent that fares as a test says. */
export class StubAgent implements Agent {
  ready = true
  problem: Failure | undefined
  files: AgentBundle | undefined = bundle
  compiles = true

  as(): never {
    throw new Error('nobody talks to this agent')
  }
  bundle(): AgentBundle | undefined {
    return this.files
  }
  async reloadBundle(): Promise<Result<AgentBundle, Failure>> {
    return ok(bundle)
  }
  async compiled(): Promise<
    Result<
      {
        prompt: CompiledPrompt
        tools: ToolList
        model: { provider: string; model: string; notice: string }
      },
      Failure
    >
  > {
    return this.compiles
      ? ok({
          prompt,
          tools: { tools: [], aliases: {} },
          model: { provider: 'demo', model: 'demo', notice: 'no key is set' },
        })
      : err(failure('BAD_REPO', 'amodal.json:3: no model'))
  }
  models() {
    return [{ provider: 'demo', keySet: false, notice: 'no key is set' }]
  }
  status() {
    return {
      active: 1,
      resident: 2,
      ready: this.ready,
      ...(this.problem && { problem: this.problem }),
    }
  }
  runs() {
    return []
  }
}
