export declare const NAMES_ACCOUNT: RegExp;
export declare const NAMES_JAPANESE: RegExp;
export declare const NAMES_ROUTING: RegExp;
export declare const IN_HEAD: RegExp;
export declare const NAMED_BEHIND: RegExp;
export declare const BEHIND_BANK: RegExp;
/** Whether anything in a text may name an account. */
export declare const NAMES_BANK: RegExp;
