import { defineError } from '@amodal/sdk'

export const ProfileUnknown = defineError({
  code: 'PROFILE_UNKNOWN',
  about: 'A run was asked for with a profile that the agent does not have.',
  status: 404,
  fix: 'use an id that `GET /api/platform/v1/agents/profiles` lists',
})
export const RunConflict = defineError({
  code: 'RUN_CONFLICT',
  about: 'An idempotency key came again with another request than the first time.',
  status: 409,
  fix: 'use a new Idempotency-Key for another request',
})
export const ArtifactTooLarge = defineError({
  code: 'ARTIFACT_TOO_LARGE',
  about: 'The content of an artifact is larger than one may be, or it has too many versions.',
  status: 413,
  fix: 'split the artifact, or raise `artifacts` in the configuration of agent-runs',
})
export const ResultMissing = defineError({
  code: 'RESULT_MISSING',
  about: 'A run whose profile has a result schema ended without a result.',
  status: 502,
  fix: 'start it again, or say in the instructions when the result is to be handed in',
})

export const ERRORS = [ProfileUnknown, RunConflict, ArtifactTooLarge, ResultMissing] as const
