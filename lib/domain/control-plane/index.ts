export * from './health'
export * from './quorum'
export * from './words'
export * from './steps'
