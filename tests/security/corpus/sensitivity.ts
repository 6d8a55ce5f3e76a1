export type Sensitivity = 'pii_identifier' | 'pii_name' | 'internal' | 'financial'
