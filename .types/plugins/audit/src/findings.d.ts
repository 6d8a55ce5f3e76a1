/** Kinds of lines in which a server says what it found of its own log. All but `uncovered` are a failure of `verify`. */
export declare const FINDINGS: {
    /** The process that wrote the last lines died before their checkpoint. */
    readonly uncovered: 'audit_uncovered';
    /** The chain ended earlier than this process had seen. */
    readonly shortened: 'audit_shortened';
    /** The end of the chain was not signed, or not by whoever moved it. */
    readonly unsealed: 'audit_unsealed';
    readonly unknownSigner: 'audit_signer_unknown';
    readonly checkpointsMissing: 'audit_checkpoints_missing';
};
