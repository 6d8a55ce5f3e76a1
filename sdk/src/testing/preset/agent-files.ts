/** The agent that the preset contract talks to. @param baseUrl of its model */
export function agentFiles(baseUrl: string): Readonly<Record<string, string>> {
  return {
    'amodal.json': json({
      name: 'contract-agent',
      userContext: 'You keep a list of tasks.',
      models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl } },
    }),
    'knowledge/hours.md': '# Opening hours\n\nThe desk is open from nine to five.\n',
    'stores/tasks.json': json({
      name: 'tasks',
      entity: {
        name: 'Task',
        key: '{id}',
        schema: { id: { type: 'string' }, title: { type: 'string' }, done: { type: 'boolean' } },
      },
    }),
    'stores/tasks.seed.json': json([
      { id: 't1', title: 'Water the plants', done: false },
      { id: 't2', title: 'Feed the cat', done: true },
    ]),
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
