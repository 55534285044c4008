export { order } from './order/order';
export { partnerStockPoll } from './partner-stock-poll';
