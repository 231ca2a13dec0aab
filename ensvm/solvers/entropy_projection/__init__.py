"""Training the rho-SVM by entropy projections (Tsang & Kwok, IJCAI-07, Algorithm 1)."""
