import { type ApprovalPolicy } from '@amodal/sdk';
export interface ApprovalRules {
    readonly expiresMinutes: number;
    readonly answeredBy: readonly string[];
    readonly reviewedBy?: readonly string[] | undefined;
}
/** The rules as the loop asks for them. Whoever may not answer hears what is said of a question that does not exist. */
export declare function approvalPolicy({ expiresMinutes, answeredBy, reviewedBy }: ApprovalRules): ApprovalPolicy;
