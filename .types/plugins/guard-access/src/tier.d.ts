import type { AccessTier, VerdictLevel } from '@amodal/sdk';
export declare const isStricter: (one: AccessTier, other: AccessTier) => boolean;
export declare const stricter: (one: AccessTier, other: AccessTier) => AccessTier;
/** What a guard says for a tier. */
export declare const levelOf: (tier: AccessTier) => VerdictLevel;
