import { defineError } from '@amodal/sdk'

export const EvalInvalid = defineError({
  code: 'EVAL_INVALID',
  status: 400,
  about: 'An eval cannot be run as it is written or asked for.',
  fix: 'correct what the message names: a suite, a model, or the setup of the case',
})

export const JudgeFailed = defineError({
  code: 'EVAL_JUDGE_FAILED',
  status: 502,
  about: 'The judge gave no verdict that counts, so the case is an error and never passes.',
  fix: 'read the message; name another model as `judge` of `evals` in amodal.json',
})

export const EvalNotPromotable = defineError({
  code: 'EVAL_NOT_PROMOTABLE',
  status: 422,
  about: 'A conversation cannot become an eval case: something that a case needs is not there.',
  fix: 'promote an earlier part of it (`at`), or write the case by hand',
})

export const EvalsUnavailable = defineError({
  code: 'EVALS_UNAVAILABLE',
  status: 503,
  about: 'This server runs no evals: no plugin provides a job queue.',
  fix: 'add the plugin queue-database or queue-memory, or run them with amodal eval',
})

export const ChangeInvalid = defineError({
  code: 'EVAL_CHANGE_INVALID',
  status: 400,
  about: 'A change of the agent (`--with`) cannot be read or does not fit its folder.',
  fix: 'correct what the message names: the form of the change, its file, or what it replaces',
})
