export { choiceLines, wentLines, type Choice } from './choice'
export { playLog, replay, type Difference } from './play'
export { LogError, readLog, type GoldenLog, type LogEvent } from './read'
