/**
 * Kinds of lines in which a server says what it found of its own log. All but `uncovered` are a
 * failure of `verify`.
 */
export const FINDINGS = {
  /** The process that wrote the last lines died before their checkpoint. */
  uncovered: 'audit_uncovered',
  /** The chain ended earlier than this process had seen. */
  shortened: 'audit_shortened',
  /** The end of the chain was not signed, or not by whoever moved it. */
  unsealed: 'audit_unsealed',
  unknownSigner: 'audit_signer_unknown',
  checkpointsMissing: 'audit_checkpoints_missing',
} as const
