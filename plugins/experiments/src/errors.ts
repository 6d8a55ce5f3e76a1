import { defineError } from '@amodal/sdk'

export const ExperimentGuarded = defineError({
  code: 'EXPERIMENT_GUARDED',
  status: 400,
  about: 'A variant of an experiment would change what protects the agent, and is not used.',
  fix: 'vary prompts, skills, knowledge, models and harmless settings; change a guard for everybody or not at all',
})

export const ExperimentInvalid = defineError({
  code: 'EXPERIMENT_INVALID',
  status: 400,
  about: 'An experiment cannot be used as it is written or asked for.',
  fix: 'correct what the message names: a file of experiments/, a variant, or the request',
})

export const ExperimentNotFound = defineError({
  code: 'EXPERIMENT_NOT_FOUND',
  status: 404,
  about: 'There is no experiment of this name in the files of the agent.',
  fix: 'list them with amodal ops experiment; amodal validate says what is wrong with a file',
})

export const ExperimentEnded = defineError({
  code: 'EXPERIMENT_ENDED',
  status: 409,
  about: 'The experiment was stopped, or one of its variants was promoted: that is final.',
  fix: 'start another experiment under a new name',
})

export const ExperimentNotPromotable = defineError({
  code: 'EXPERIMENT_NOT_PROMOTABLE',
  status: 422,
  about: 'The content of a variant cannot be written into the files of the agent.',
  fix: 'read the message; change the files by hand, then stop the experiment',
})
