import type { Command } from '@amodal/sdk'

/** `amodal eval`: what it takes to run evals is loaded when it runs. */
export const evalCommand: Command = {
  summary: 'Run the cases of evals/, and say which of them pass',
  usage: 'amodal eval [--file NAME] [--models A,B] [--runs N] [--reporter table|json|junit]',
  about: [
    'Each case runs through the agent of this folder with its guards, in memory and in a tenant of its own. Tools that reach outside are answered',
    'by the stubs of the case; a call that no stub answers fails the case. First come the checks that need no model, then the judge, for cases that pass those.',
    'Results are stored below .amodal/evals in the moment they are there, so a run that was cut goes on with --resume.',
    'With --url a running server runs them, as a job of its queue: it goes on where this command is killed, and is cancelled where it is interrupted.',
    'Exit code 0: all cases passed; 1: some did not, or the run stopped at its budget; 2: the command line is wrong; 130: it was interrupted.',
  ],
  examples: [
    ['amodal eval', 'run all cases'],
    ['amodal eval --file revenue-drop.md', 'run one file'],
    ['amodal eval --models openai/gpt-5.2,anthropic/claude-sonnet-5', 'compare models'],
    ['amodal eval --runs 5', 'run each case five times: pass@5, pass^5, and what is flaky'],
    ['amodal eval --save-baseline', 'store the result as evals/baseline.json'],
    ['amodal eval --changed origin/main', 'run what the changes since that commit touch'],
    ['amodal eval --fail-on regress', 'fail where a case is worse than in evals/baseline.json'],
    ['amodal eval --url http://127.0.0.1:3847', 'have a running server run them'],
    ['amodal eval --resume last', 'go on with a run that was cut'],
  ],
  options: {
    file: { type: 'string', multiple: true, description: 'A file of evals/, or a suite; several' },
    case: { type: 'string', multiple: true, description: 'One case, as SUITE/CASE; several' },
    changed: {
      type: 'string',
      description: 'Cases that changes since this commit touch: HEAD, origin/main',
    },
    tag: { type: 'string', multiple: true, description: 'Cases with this tag; several' },
    providers: { type: 'string', description: 'Compare providers: anthropic,openai' },
    models: { type: 'string', description: 'Compare models: PROVIDER/MODEL,PROVIDER/MODEL' },
    runs: { type: 'string', description: 'Times that each case is run' },
    concurrency: { type: 'string', description: 'Cases that run at the same time' },
    budget: { type: 'string', description: 'Dollars after which no further case begins' },
    real: {
      type: 'string',
      multiple: true,
      description: 'A tool that is called itself where a case has no stub for it; several, with *',
    },
    url: { type: 'string', description: 'A running server that runs them: http://127.0.0.1:3847' },
    scope: { type: 'string', description: 'Whose run, where a server has several tenants' },
    reporter: { type: 'string', description: 'table, json or junit', default: 'table' },
    output: { type: 'string', description: 'A file for the report of --reporter' },
    resume: { type: 'string', description: 'Go on with a run, by its id, or with the last one' },
    baseline: { type: 'string', description: 'A file to compare with: evals/baseline.json' },
    'save-baseline': { type: 'boolean', description: 'Store the result as that file' },
    'fail-on': {
      type: 'string',
      description: 'What makes exit code 1: any (case that does not pass), regress, never',
      default: 'any',
    },
  },
  run: async (context) => (await import('./run-evals.ts')).runEvals(context),
}
