import { type JsonObject, type ModelCall, type PrincipalId, type PromptDraft, type RunContext, type SessionId, type TenantId } from '@amodal/sdk';
/** The newest call of each conversation, as it left for the model. */
export declare class SentCalls {
    #private;
    /** @param now ms since the epoch */
    constructor(now: () => number);
    note(call: ModelCall, ctx: RunContext): void;
    /**
     * What was sent last, and who put each part of it there; nothing where this process has sent nothing. Results of tools are
     * told by their size only, and so is a prompt with somebody else's notes, made for somebody else's roles.
     */
    report(tenant: TenantId, session: SessionId, reader: PrincipalId): JsonObject | undefined;
}
/**
 * Where each section stands in a system prompt. What stands between two is of nobody but the compiler; a section that is
 * not found word for word was changed on its way.
 */
export declare function segmentsOf(sections: PromptDraft['sections'], system: string): JsonObject[];
