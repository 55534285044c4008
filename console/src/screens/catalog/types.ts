import type { ApiResponse } from '../../api/types';

export type CustomerProduct = ApiResponse<'listCustomerProducts'>['customerProducts'][number];
export type ProductModel = ApiResponse<'listProductModels'>['productModels'][number];
