import { z } from 'zod';
/** What a credential is good for where nothing is said: to talk, and to look at one's talks. */
export declare const USUAL_SCOPES: string[];
/** What an API key says of whoever has it. */
export declare const keyFacts: z.ZodObject<{
    name: z.ZodOptional<z.ZodString>;
    roles: z.ZodDefault<z.ZodArray<z.ZodString>>;
    scopes: z.ZodDefault<z.ZodArray<z.ZodString>>;
    tenant: z.ZodOptional<z.ZodString>;
    expires: z.ZodOptional<z.ZodUnion<[z.ZodISODateTime, z.ZodISODate]>>;
}, z.core.$strict>;
export type KeyFacts = z.output<typeof keyFacts>;
declare const issuer: z.ZodObject<{
    name: z.ZodDefault<z.ZodString>;
    issuer: z.ZodString;
    audience: z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]>;
    jwksUrl: z.ZodString;
    algorithms: z.ZodDefault<z.ZodArray<z.ZodEnum<{
        ES256: "ES256";
        ES384: "ES384";
        ES512: "ES512";
        Ed25519: "Ed25519";
        EdDSA: "EdDSA";
        PS256: "PS256";
        PS384: "PS384";
        PS512: "PS512";
        RS256: "RS256";
        RS384: "RS384";
        RS512: "RS512";
    }>>>;
    clockToleranceSeconds: z.ZodDefault<z.ZodInt>;
    maxAgeSeconds: z.ZodOptional<z.ZodInt>;
    claims: z.ZodPrefault<z.ZodObject<{
        principal: z.ZodDefault<z.ZodString>;
        roles: z.ZodOptional<z.ZodString>;
        scopes: z.ZodOptional<z.ZodString>;
        tenant: z.ZodOptional<z.ZodString>;
        name: z.ZodDefault<z.ZodString>;
    }, z.core.$strict>>;
    roles: z.ZodDefault<z.ZodArray<z.ZodString>>;
    scopes: z.ZodDefault<z.ZodArray<z.ZodString>>;
    choosesTenant: z.ZodDefault<z.ZodBoolean>;
    refreshMs: z.ZodDefault<z.ZodInt>;
    keepMs: z.ZodDefault<z.ZodInt>;
}, z.core.$strict>;
export type IssuerConfig = z.output<typeof issuer>;
export declare const config: z.ZodObject<{
    keys: z.ZodDefault<z.ZodArray<z.ZodObject<{
        name: z.ZodOptional<z.ZodString>;
        roles: z.ZodDefault<z.ZodArray<z.ZodString>>;
        scopes: z.ZodDefault<z.ZodArray<z.ZodString>>;
        tenant: z.ZodOptional<z.ZodString>;
        expires: z.ZodOptional<z.ZodUnion<[z.ZodISODateTime, z.ZodISODate]>>;
        key: z.ZodString;
    }, z.core.$strict>>>;
    jwt: z.ZodDefault<z.ZodUnion<readonly [z.ZodPipe<z.ZodObject<{
        name: z.ZodDefault<z.ZodString>;
        issuer: z.ZodString;
        audience: z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]>;
        jwksUrl: z.ZodString;
        algorithms: z.ZodDefault<z.ZodArray<z.ZodEnum<{
            ES256: "ES256";
            ES384: "ES384";
            ES512: "ES512";
            Ed25519: "Ed25519";
            EdDSA: "EdDSA";
            PS256: "PS256";
            PS384: "PS384";
            PS512: "PS512";
            RS256: "RS256";
            RS384: "RS384";
            RS512: "RS512";
        }>>>;
        clockToleranceSeconds: z.ZodDefault<z.ZodInt>;
        maxAgeSeconds: z.ZodOptional<z.ZodInt>;
        claims: z.ZodPrefault<z.ZodObject<{
            principal: z.ZodDefault<z.ZodString>;
            roles: z.ZodOptional<z.ZodString>;
            scopes: z.ZodOptional<z.ZodString>;
            tenant: z.ZodOptional<z.ZodString>;
            name: z.ZodDefault<z.ZodString>;
        }, z.core.$strict>>;
        roles: z.ZodDefault<z.ZodArray<z.ZodString>>;
        scopes: z.ZodDefault<z.ZodArray<z.ZodString>>;
        choosesTenant: z.ZodDefault<z.ZodBoolean>;
        refreshMs: z.ZodDefault<z.ZodInt>;
        keepMs: z.ZodDefault<z.ZodInt>;
    }, z.core.$strict>, z.ZodTransform<{
        name: string;
        issuer: string;
        audience: string | string[];
        jwksUrl: string;
        algorithms: ("ES256" | "ES384" | "ES512" | "Ed25519" | "EdDSA" | "PS256" | "PS384" | "PS512" | "RS256" | "RS384" | "RS512")[];
        clockToleranceSeconds: number;
        maxAgeSeconds?: number | undefined;
        claims: {
            principal: string;
            roles?: string | undefined;
            scopes?: string | undefined;
            tenant?: string | undefined;
            name: string;
        };
        roles: string[];
        scopes: string[];
        choosesTenant: boolean;
        refreshMs: number;
        keepMs: number;
    }[], {
        name: string;
        issuer: string;
        audience: string | string[];
        jwksUrl: string;
        algorithms: ("ES256" | "ES384" | "ES512" | "Ed25519" | "EdDSA" | "PS256" | "PS384" | "PS512" | "RS256" | "RS384" | "RS512")[];
        clockToleranceSeconds: number;
        maxAgeSeconds?: number | undefined;
        claims: {
            principal: string;
            roles?: string | undefined;
            scopes?: string | undefined;
            tenant?: string | undefined;
            name: string;
        };
        roles: string[];
        scopes: string[];
        choosesTenant: boolean;
        refreshMs: number;
        keepMs: number;
    }>>, z.ZodArray<z.ZodObject<{
        name: z.ZodDefault<z.ZodString>;
        issuer: z.ZodString;
        audience: z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]>;
        jwksUrl: z.ZodString;
        algorithms: z.ZodDefault<z.ZodArray<z.ZodEnum<{
            ES256: "ES256";
            ES384: "ES384";
            ES512: "ES512";
            Ed25519: "Ed25519";
            EdDSA: "EdDSA";
            PS256: "PS256";
            PS384: "PS384";
            PS512: "PS512";
            RS256: "RS256";
            RS384: "RS384";
            RS512: "RS512";
        }>>>;
        clockToleranceSeconds: z.ZodDefault<z.ZodInt>;
        maxAgeSeconds: z.ZodOptional<z.ZodInt>;
        claims: z.ZodPrefault<z.ZodObject<{
            principal: z.ZodDefault<z.ZodString>;
            roles: z.ZodOptional<z.ZodString>;
            scopes: z.ZodOptional<z.ZodString>;
            tenant: z.ZodOptional<z.ZodString>;
            name: z.ZodDefault<z.ZodString>;
        }, z.core.$strict>>;
        roles: z.ZodDefault<z.ZodArray<z.ZodString>>;
        scopes: z.ZodDefault<z.ZodArray<z.ZodString>>;
        choosesTenant: z.ZodDefault<z.ZodBoolean>;
        refreshMs: z.ZodDefault<z.ZodInt>;
        keepMs: z.ZodDefault<z.ZodInt>;
    }, z.core.$strict>>]>>;
    database: z.ZodDefault<z.ZodBoolean>;
    warn: z.ZodDefault<z.ZodBoolean>;
    localToken: z.ZodDefault<z.ZodBoolean>;
    dir: z.ZodOptional<z.ZodString>;
}, z.core.$strict>;
export type AuthConfig = z.output<typeof config>;
export {};
