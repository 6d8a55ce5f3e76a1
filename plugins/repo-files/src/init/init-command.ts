import type { Command, Generation } from '@amodal/sdk'

/** `amodal init`: makes the folder of a new agent. */
export function initCommand(generation: () => Generation): Command {
  return {
    summary: 'Make a new agent',
    usage: 'amodal init [FOLDER] [--name NAME] [--provider NAME] [--with NAME] [--without NAME]',
    about: [
      'Writes amodal.json, a skill and a knowledge document to begin with, and the folders that the rest goes into. At a terminal it asks',
      'for what is not given; elsewhere it asks nothing. Nothing is written over: only files that are missing are made, and none where',
      'there is an agent already. JSON Schemas in .vscode let VS Code complete and check its files.',
    ],
    examples: [
      ['amodal init my-agent', 'asks for a name and a provider'],
      ['amodal init my-agent --name "My Agent" --provider openai', 'asks nothing'],
      ['amodal init my-agent --with github-evals', 'runs its evals in GitHub Actions'],
    ],
    options: {
      name: { type: 'string', description: 'Name of the agent (the name of its folder)' },
      provider: {
        type: 'string',
        description:
          'Whose models: anthropic, openai, google, … (auto: the first whose key is set)',
      },
      with: {
        type: 'string',
        multiple: true,
        description: 'What else to begin with, such as github-evals; several',
      },
      without: {
        type: 'string',
        multiple: true,
        description: 'What not to begin with, such as vscode; several',
      },
    },
    run: async (context) => (await import('./init.ts')).init(context, generation()),
  }
}
