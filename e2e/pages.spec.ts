import { everyPage } from './kit/pages'

everyPage()
